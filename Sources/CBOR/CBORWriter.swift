// Hot path: it runs for each request. See "Hot paths" in Contributing.

/// Writes CBOR item by item, for code in which `Codable` would be too slow.
///
/// The caller is responsible for the structure: `writeMapHead(count: 2)` must be followed by two keys and two values,
/// each of them one item. This is not checked. Heads have their shortest form.
public struct CBORWriter: ~Copyable {
    /// How many arrays and maps of a ``CBORItem`` are open.
    var depth = 0
    /// The bytes written so far, unless they are in the memory.
    private var array: [UInt8]
    /// Memory that the caller has lent, which is written without the checks of an array; nil once it is too small.
    private var memory: UnsafeMutableRawPointer?
    /// The number of bytes written into the memory.
    private var count = 0
    /// The size of the memory.
    private var capacity = 0
    /// The memory that the caller has lent, even if it has become too small.
    private var lent: UnsafeMutableRawPointer?

    /// Makes a writer without bytes.
    ///
    /// - Parameter capacity: The number of bytes to reserve memory for.
    public init(capacity: Int = 128) {
        array = []
        array.reserveCapacity(capacity)
    }

    /// Makes a writer that appends to `bytes`.
    public init(appendingTo bytes: consuming [UInt8]) {
        array = bytes
    }

    /// The bytes written so far.
    public internal(set) var bytes: [UInt8] {
        get { memory.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) } ?? array }
        _modify {
            leaveMemory()
            yield &array
        }
    }

    /// The number of bytes written so far.
    @inline(__always)
    var byteCount: Int { memory == nil ? array.count : count }

    // MARK: - Memory of the caller

    /// Returns an array of bytes that is written in place.
    ///
    /// - Parameters:
    ///   - capacity: The number of bytes that are likely to suffice.
    ///   - start: Writes the first bytes into memory of this capacity, and returns their number.
    ///   - write: Writes the items that follow.
    package static func makeArray(
        capacity: Int, startingWith start: (UnsafeMutableRawBufferPointer) -> Int,
        _ write: (inout CBORWriter) throws -> Void
    ) rethrows -> [UInt8] {
        var larger: [UInt8]?
        let array = try [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            let memory = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<capacity])
            var writer = CBORWriter(memory, from: start(memory))
            defer { writer.check(memory) }
            try write(&writer)
            if writer.memory == nil { larger = writer.array } else { count = writer.count }
        }
        return larger ?? array
    }

    // The writer cannot be copied, and `check(_:)` makes sure that it comes back, so it does not outlive the memory.
    private init(_ memory: UnsafeMutableRawBufferPointer, from start: Int) {
        array = []
        self.memory = memory.baseAddress
        lent = memory.baseAddress
        count = start
        capacity = memory.count
    }

    /// Ends the process if this is not the writer to which the memory was lent. A value may have moved that one elsewhere,
    /// and have left another one.
    @inline(__always)
    private func check(_ memory: UnsafeMutableRawBufferPointer) {
        precondition(lent == memory.baseAddress, "writeItem(to:) has replaced its writer")
    }

    /// Returns the place for the next bytes, which must be written, or nil if they go to the array.
    @inline(__always)
    private mutating func place(for size: Int) -> UnsafeMutableRawPointer? {
        guard let memory, size <= capacity &- count else {
            leaveMemory()
            return nil
        }
        defer { count &+= size }
        return memory + count
    }

    /// Moves the bytes to the array, where there is room for any number.
    private mutating func leaveMemory() {
        guard let memory else { return }
        array.reserveCapacity(2 * count)
        array.append(contentsOf: UnsafeRawBufferPointer(start: memory, count: count))
        self.memory = nil
    }

    @inline(__always)
    private mutating func append(_ byte: UInt8) {
        if let place = place(for: 1) {
            place.storeBytes(of: byte, as: UInt8.self)
        } else {
            array.append(byte)
        }
    }

    @inline(__always)
    private mutating func append(_ content: UnsafeRawBufferPointer) {
        if let place = place(for: content.count) {
            if let start = content.baseAddress { place.copyMemory(from: start, byteCount: content.count) }
        } else {
            array.append(contentsOf: content)
        }
    }

    // MARK: - Items

    /// Writes null.
    @inline(__always)
    public mutating func writeNull() {
        append(0xf6)
    }

    /// Writes true or false.
    @inline(__always)
    public mutating func writeBool(_ value: Bool) {
        append(value ? 0xf5 : 0xf4)
    }

    /// Writes an integer in its shortest form.
    @inline(__always)
    public mutating func writeInteger(_ value: Int64) {
        if value >= 0 {
            writeHead(.unsigned, UInt64(bitPattern: value))
        } else {
            writeHead(.negative, UInt64(bitPattern: ~value))
        }
    }

    /// Writes an unsigned integer in its shortest form.
    @inline(__always)
    public mutating func writeUnsigned(_ value: UInt64) {
        writeHead(.unsigned, value)
    }

    /// Writes a number in 64 bits.
    @inline(__always)
    public mutating func writeDouble(_ value: Double) {
        writeInitialByte(0xfb, bigEndian: value.bitPattern)
    }

    /// Writes a number in 32 bits.
    @inline(__always)
    public mutating func writeFloat(_ value: Float) {
        writeInitialByte(0xfa, bigEndian: value.bitPattern)
    }

    /// Writes a text string.
    ///
    /// Decoders refuse more than 30 combining marks in a row. Longer runs are broken up with U+034F.
    @inline(__always)
    public mutating func writeString(_ value: String) {
        var value = value
        let isWritten = value.withUTF8 { utf8 in
            guard CombiningMarks.excess(in: UnsafeRawBufferPointer(utf8)) == nil else { return false }
            writeContent(.text, UnsafeRawBufferPointer(utf8))
            return true
        }
        if !isWritten { writeSeparated(value) }
    }

    /// Writes a string's head and content.
    @inline(__always)
    mutating func writeContent(_ majorType: CBORMajorType, _ content: UnsafeRawBufferPointer) {
        writeHead(majorType, UInt64(content.count))
        append(content)
    }

    /// Writes a text of usually less than 24 bytes, with its head at once.
    @inline(__always)
    mutating func writeShortText(_ content: UnsafeRawBufferPointer) {
        guard content.count < 24, let start = content.baseAddress, let place = place(for: 1 &+ content.count) else {
            return writeContent(.text, content)
        }
        place.storeBytes(of: 0x60 | UInt8(truncatingIfNeeded: content.count), as: UInt8.self)
        (place + 1).copyMemory(from: start, byteCount: content.count)
    }

    private mutating func writeSeparated(_ value: String) {
        writeString(CombiningMarks.separated(value))
    }

    /// Writes a byte string.
    public mutating func writeBytes(_ value: some Collection<UInt8>) {
        writeHead(.bytes, UInt64(value.count))
        let isWritten: Void? = value.withContiguousStorageIfAvailable { append(UnsafeRawBufferPointer($0)) }
        if isWritten == nil { bytes.append(contentsOf: value) }
    }

    /// Starts an array of `count` items. `count` must not be negative.
    public mutating func writeArrayHead(count: Int) {
        writeHead(.array, UInt64(count))
    }

    /// Starts a map of `count` entries, each a key followed by its value. `count` must not be negative.
    public mutating func writeMapHead(count: Int) {
        writeHead(.map, UInt64(count))
    }

    /// Writes an encoded item.
    public mutating func writeRaw(_ item: CBORRaw) {
        writeRaw(item.bytes[...])
    }

    /// Writes bytes that are known to be encoded items, such as a value from `CBORMap.entries(of:)`.
    public mutating func writeRaw(_ items: ArraySlice<UInt8>) {
        items.withUnsafeBytes { append($0) }
    }

    /// Writes the head of an item in the shortest form that holds `argument`.
    @inline(__always)
    mutating func writeHead(_ majorType: CBORMajorType, _ argument: UInt64) {
        let initial = majorType.rawValue << 5
        if argument < 24 {
            append(initial | UInt8(truncatingIfNeeded: argument))
        } else {
            writeLongHead(initial, argument)
        }
    }

    private mutating func writeLongHead(_ initial: UInt8, _ argument: UInt64) {
        if let argument = UInt8(exactly: argument) {
            writeInitialByte(initial | 24, bigEndian: argument)
        } else if let argument = UInt16(exactly: argument) {
            writeInitialByte(initial | 25, bigEndian: argument)
        } else if let argument = UInt32(exactly: argument) {
            writeInitialByte(initial | 26, bigEndian: argument)
        } else {
            writeInitialByte(initial | 27, bigEndian: argument)
        }
    }

    @inline(__always)
    private mutating func writeInitialByte<T: FixedWidthInteger & UnsignedInteger>(_ initial: UInt8, bigEndian: T) {
        append(initial)
        withUnsafeBytes(of: bigEndian.bigEndian) { append($0) }
    }
}
