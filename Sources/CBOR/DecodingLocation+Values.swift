extension DecodingLocation {
    /// Decodes a value. Its coding path is this location's path plus `step`, if there is one.
    func value<T: Decodable>(_ type: T.Type, at offset: Int, _ step: PathStep?) throws -> T {
        if let value = try directValue(type, at: offset, step), let value = value as? T { return value }
        state.decodedType = T.self
        let decoder = ItemDecoder(location: advanced(by: step), offset: offset)
        guard state.isSecret(at: offset) else { return try T(from: decoder) }
        do {
            return try T(from: decoder)
        } catch {
            // A type that is no `Secret` may quote the value: an enumeration quotes its raw value.
            throw SecretTag.decodingError(type, at: decoder.codingPath)
        }
    }

    /// Decodes a value of one of the types that are read without their `init(from:)`; nil for all others.
    private func directValue(_ type: Any.Type, at offset: Int, _ step: PathStep?) throws -> Any? {
        switch type {
        case is String.Type: return try string(at: offset, step)
        case is Int.Type: return try integer(Int.self, at: offset, step)
        case is Double.Type: return try double(at: offset, step)
        case is CBORRaw.Type: return try raw(at: offset)
        case is CBORValue.Type:
            var reader = state.reader(at: offset)
            return try reader.readValue()
        case is [UInt8].Type: return try byteString(at: offset)
        default: return nil
        }
    }

    /// The content of a byte string, or nil for any other item, such as an array of numbers.
    private func byteString(at offset: Int) throws -> [UInt8]? {
        var reader = state.reader(at: offset)
        let head = try reader.readHeadSkippingTags()
        return head.majorType == .bytes ? try reader.readContent(head) : nil
    }

    /// The encoded item, including the tags before it.
    func raw(at offset: Int) throws -> CBORRaw {
        var reader = state.reader(at: offset)
        try reader.skipItem()
        return CBORRaw(unchecked: Array(state.bytes[offset..<reader.offset]))
    }

    // MARK: Containers

    func map<Key: CodingKey>(
        _ type: Key.Type, at offset: Int, _ step: PathStep? = nil
    ) throws -> KeyedDecodingContainer<Key> {
        let (first, count) = try elements(.map, [String: Any].self, at: offset, step)
        if ObjectIdentifier(type) == DictionaryKeyType.identifier {
            try checkDictionaryKeys(from: first, count: count / 2, step)
        }
        return KeyedDecodingContainer(
            try KeyedDecoding<Key>(location: advanced(by: step), first: first, count: count / 2))
    }

    func array(at offset: Int, _ step: PathStep? = nil) throws -> any UnkeyedDecodingContainer {
        let (first, count) = try elements(.array, [Any].self, at: offset, step)
        return UnkeyedDecoding(location: advanced(by: step), first: first, count: count)
    }

    private func elements(
        _ majorType: CBORMajorType, _ type: Any.Type, at offset: Int, _ step: PathStep?
    ) throws -> (first: Int, count: Int) {
        var reader = state.reader(at: offset)
        let head = try reader.readHeadSkippingTags()
        guard head.majorType == majorType else { throw mismatch(type, head, at: offset, step) }
        let count = try reader.countElements(head)
        return (reader.offset, count)
    }
}
