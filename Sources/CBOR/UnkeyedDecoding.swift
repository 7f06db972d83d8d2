/// The container of an array that is being decoded in order.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
    private let location: DecodingLocation
    private let elementCount: Int
    /// The offset of the next element.
    private var offset: Int
    private(set) var currentIndex = 0

    init(location: DecodingLocation, first: Int, count: Int) {
        self.location = location
        offset = first
        elementCount = count
    }

    var codingPath: [any CodingKey] { location.codingPath }
    var count: Int? { elementCount }
    var isAtEnd: Bool { currentIndex >= elementCount }

    private var step: PathStep { .index(currentIndex) }

    /// Reads the next element and advances past it. After an error the element is still the next one.
    private mutating func next<T>(_ type: T.Type, _ read: (DecodingLocation, Int, PathStep) throws -> T) throws -> T {
        guard !isAtEnd else { throw location.pastEnd(type, step) }
        let value = try read(location, offset, step)
        try advance()
        return value
    }

    private mutating func advance() throws {
        var reader = location.state.reader(at: offset)
        try reader.skipItem()
        offset = reader.offset
        currentIndex += 1
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd else { throw location.pastEnd(Any?.self, step) }
        guard try location.isNull(at: offset) else { return false }
        try advance()
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type) { try $0.bool(at: $1, $2) } }
    mutating func decode(_ type: String.Type) throws -> String { try next(type) { try $0.string(at: $1, $2) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next(type) { try $0.double(at: $1, $2) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next(type) { try $0.float(at: $1, $2) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try next(type) { try $0.integer(type, at: $1, $2) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next(type) { try $0.integer(type, at: $1, $2) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next(type) { try $0.integer(type, at: $1, $2) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next(type) { try $0.integer(type, at: $1, $2) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next(type) { try $0.integer(type, at: $1, $2) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next(type) { try $0.integer(type, at: $1, $2) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next(type) { try $0.integer(type, at: $1, $2) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next(type) { try $0.integer(type, at: $1, $2) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next(type) { try $0.integer(type, at: $1, $2) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next(type) { try $0.integer(type, at: $1, $2) } }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try next(type) { try $0.value(type, at: $1, $2) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try next(KeyedDecodingContainer<NestedKey>.self) { try $0.map(type, at: $1, $2) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next((any UnkeyedDecodingContainer).self) { try $0.array(at: $1, $2) }
    }

    mutating func superDecoder() throws -> any Decoder {
        try next((any Decoder).self) {
            ItemDecoder(location: $0.advanced(by: $2), offset: $1)
        }
    }
}
