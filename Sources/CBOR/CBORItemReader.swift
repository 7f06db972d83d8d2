// Hot path: it runs for each request. See "Hot paths" in Contributing.

/// Reads a value from the bytes that ``CBORItem/writeItem(to:)`` has written, in their order and without an intermediate
/// form.
///
/// It is strict. Another order of the keys, an unknown key, a tag, an indefinite length and every error end the reading
/// with ``OtherForm``. It accepts nothing that ``CBORDecoder`` refuses, and its values are the same.
public struct CBORItemReader: ~Copyable {
    /// The bytes have another form than that in which values write themselves. ``CBORDecoder`` may be able to read
    /// them.
    public struct OtherForm: Error {
        public init() {}
    }

    // It borrows the bytes. It cannot be copied and is only passed as `inout`, and `isReading(_:)` makes sure that it comes
    // back, so it does not outlive them.
    private var reader: CBORReader
    private let limits: CBORLimits
    /// How many arrays and maps contain the next item.
    private var depth = 0

    /// - Returns: Nil if the bytes may exceed a limit.
    init?(_ bytes: UnsafeRawBufferPointer, limits: CBORLimits) {
        // An item has at least one byte.
        guard bytes.count <= min(limits.maximumBytes, limits.maximumItems), bytes.count < Int(UInt32.max) else {
            return nil
        }
        reader = CBORReader(bytes)
        self.limits = limits
    }

    var isAtEnd: Bool { reader.isAtEnd }

    /// Whether this is the reader of these bytes.
    @inline(__always)
    func isReading(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        reader.bytes.baseAddress == UnsafeRawPointer(bytes.baseAddress) && reader.bytes.count == bytes.count
    }

    // MARK: - Fields

    /// Reads the head of a map.
    ///
    /// - Returns: The number of its entries. Pass it to `readField(_:of:)`, and then to ``endFields(_:)``.
    public mutating func readFields() throws(OtherForm) -> Int {
        let head = try readHead(.map)
        try enter()
        return try number(of: head)
    }

    /// Reads the next field of a map.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - count: The number of entries that are left. It is decremented.
    public mutating func readField<T: CBORItem>(
        _ name: StaticString, of count: inout Int
    ) throws(OtherForm) -> T {
        guard takeName(name, of: &count) else { return try missingField() }
        // `Codable` reads a field that is null as nil, even if its own value is an optional.
        guard !isNull, !isTagged else { throw OtherForm() }
        return try T(fromItem: &self)
    }

    // Not part of `readField(_:of:)`, which would look up the type `T?` for each field.
    @inline(never)
    private func missingField<T: CBORItem>() throws(OtherForm) -> T {
        guard let missing = T.missingField else { throw OtherForm() }
        return missing
    }

    /// Reads the next field of a map, whose value is only `Codable`.
    @_disfavoredOverload
    public mutating func readField<T: Decodable>(
        _ name: StaticString, of count: inout Int
    ) throws(OtherForm) -> T {
        guard takeName(name, of: &count) else {
            guard let optional = T.self as? any OptionalField.Type, let missing = optional.missing as? T else {
                throw OtherForm()
            }
            return missing
        }
        guard !isNull else { throw OtherForm() }
        return try readItem(T.self)
    }

    /// Ends a map.
    ///
    /// - Parameter count: The number of entries that are left. Any but 0 means that a field is unknown.
    public mutating func endFields(_ count: Int) throws(OtherForm) {
        depth &-= 1
        guard count == 0 else { throw OtherForm() }
    }

    @inline(__always)
    mutating func takeName(_ name: StaticString, of count: inout Int) -> Bool {
        let length = name.utf8CodeUnitCount
        let start = reader.offset
        guard count > 0, length < 24, reader.remaining > length else { return count > 0 && takeLongName(name, &count) }
        guard reader.bytes[start] == 0x60 | UInt8(truncatingIfNeeded: length) else { return false }
        guard isName(name, at: start &+ 1) else { return false }
        reader.offset = start &+ 1 &+ length
        count &-= 1
        return true
    }

    private mutating func takeLongName(_ name: StaticString, _ count: inout Int) -> Bool {
        let length = name.utf8CodeUnitCount
        var ahead = reader
        guard let head = try? ahead.readHead(), head.majorType == .text, !head.isIndefinite,
            head.argument == UInt64(length), ahead.remaining >= length, isName(name, at: ahead.offset)
        else { return false }
        reader.offset = ahead.offset + length
        count &-= 1
        return true
    }

    /// Whether the bytes at an offset are a name. The caller has checked that so many bytes are left.
    @inline(__always)
    private func isName(_ name: StaticString, at offset: Int) -> Bool {
        name.withUTF8Buffer { name in
            for index in 0..<name.count where reader.bytes[offset &+ index] != name[index] { return false }
            return true
        }
    }

    // MARK: - Items

    /// Reads the next item as a value that is only `Codable`.
    public mutating func readItem<T: Decodable>(_ type: T.Type) throws(OtherForm) -> T {
        try readThroughCodable(type)
    }

    mutating func readThroughCodable<T: Decodable>(_ type: T.Type) throws(OtherForm) -> T {
        let start = reader.offset
        do {
            try reader.skipItem()
            var limits = limits
            limits.maximumDepth = min(limits.maximumDepth, CBORLimits.deepest) - depth
            let bytes = UnsafeRawBufferPointer(rebasing: reader.bytes[start..<reader.offset])
            return try CBORDecoder(limits: limits).decode(type, from: bytes)
        } catch {
            throw OtherForm()
        }
    }

    /// Reads the next item.
    @inline(__always)
    public mutating func readItem<T: CBORItem>(_ type: T.Type) throws(OtherForm) -> T {
        try T(fromItem: &self)
    }

    /// Whether the next item is null or undefined.
    var isNull: Bool { reader.offset < reader.bytes.count && reader.bytes[reader.offset] & 0xfe == 0xf6 }

    /// Whether the next item has a tag.
    var isTagged: Bool { reader.offset < reader.bytes.count && reader.bytes[reader.offset] >> 5 == 6 }

    /// Skips a null.
    mutating func skipNull() { reader.offset &+= 1 }

    mutating func readBool() throws(OtherForm) -> Bool {
        let head = try readHead(.simple)
        guard head.information == 20 || head.information == 21 else { throw OtherForm() }
        return head.information == 21
    }

    @inline(__always)
    mutating func readInteger<T: FixedWidthInteger>(_ type: T.Type) throws(OtherForm) -> T {
        guard let head = try? reader.readHead(), let value = head.integer(type) else { throw OtherForm() }
        return value
    }

    mutating func readDouble() throws(OtherForm) -> Double {
        let head = try readHead(.simple)
        guard head.information == 27 else { throw OtherForm() }
        return Double(bitPattern: head.argument)
    }

    mutating func readFloat() throws(OtherForm) -> Float {
        let head = try readHead(.simple)
        let value = Float(bitPattern: UInt32(truncatingIfNeeded: head.argument))
        // `Codable` makes a signalling NaN quiet.
        guard head.information == 26, !value.isSignalingNaN else { throw OtherForm() }
        return value
    }

    mutating func readString() throws(OtherForm) -> String {
        let head = try readHead(.text)
        guard let content = try? reader.take(head.argument), let text = String(validatingUTF8Bytes: content),
            CombiningMarks.excess(in: content) == nil
        else { throw OtherForm() }
        return text
    }

    mutating func readBytes() throws(OtherForm) -> [UInt8] {
        let head = try readHead(.bytes)
        guard let content = try? reader.take(head.argument) else { throw OtherForm() }
        return Array(content)
    }

    mutating func readArray<T: CBORItem>(of type: T.Type) throws(OtherForm) -> [T] {
        let head = try readHead(.array)
        try enter()
        let count = try number(of: head)
        var elements: [T] = []
        // The count is not trusted with more memory than the bytes that claim it.
        elements.reserveCapacity(min(count, 64))
        for _ in 0..<count { elements.append(try T(fromItem: &self)) }
        depth &-= 1
        return elements
    }

    /// Reads the head of an item of definite length.
    @inline(__always)
    private mutating func readHead(_ majorType: CBORMajorType) throws(OtherForm) -> CBORHead {
        guard let head = try? reader.readHead(), head.majorType == majorType, !head.isIndefinite else {
            throw OtherForm()
        }
        return head
    }

    @inline(__always)
    private mutating func enter() throws(OtherForm) {
        depth &+= 1
        guard depth <= limits.maximumDepth, depth <= CBORLimits.deepest else { throw OtherForm() }
    }

    @inline(__always)
    private func number(of head: CBORHead) throws(OtherForm) -> Int {
        guard head.argument <= UInt64(reader.remaining) else { throw OtherForm() }
        return Int(head.argument)
    }
}

/// An optional of any type.
private protocol OptionalField {
    static var missing: Self { get }
}

extension Optional: OptionalField {
    static var missing: Wrapped? { nil }
}
