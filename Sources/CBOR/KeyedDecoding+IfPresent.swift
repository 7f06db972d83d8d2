// The protocol's default implementations look each field up three times.
extension KeyedDecoding {
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        let name = key.stringValue
        return try placeIfPresent(name).map { try location.bool(at: $0, .key(name)) }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        let name = key.stringValue
        return try placeIfPresent(name).map { try location.string(at: $0, .key(name)) }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        let name = key.stringValue
        return try placeIfPresent(name).map { try location.double(at: $0, .key(name)) }
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        let name = key.stringValue
        return try placeIfPresent(name).map { try location.float(at: $0, .key(name)) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        let name = key.stringValue
        return try placeIfPresent(name).map { try location.integer(type, at: $0, .key(name)) }
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        let name = key.stringValue
        return try placeIfPresent(name).map { try location.integer(type, at: $0, .key(name)) }
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        let name = key.stringValue
        return try placeIfPresent(name).map { try location.integer(type, at: $0, .key(name)) }
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        let name = key.stringValue
        return try placeIfPresent(name).map { try location.integer(type, at: $0, .key(name)) }
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        let name = key.stringValue
        return try placeIfPresent(name).map { try location.integer(type, at: $0, .key(name)) }
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        let name = key.stringValue
        return try placeIfPresent(name).map { try location.integer(type, at: $0, .key(name)) }
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        let name = key.stringValue
        return try placeIfPresent(name).map { try location.integer(type, at: $0, .key(name)) }
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        let name = key.stringValue
        return try placeIfPresent(name).map { try location.integer(type, at: $0, .key(name)) }
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        let name = key.stringValue
        return try placeIfPresent(name).map { try location.integer(type, at: $0, .key(name)) }
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        let name = key.stringValue
        return try placeIfPresent(name).map { try location.integer(type, at: $0, .key(name)) }
    }
}
