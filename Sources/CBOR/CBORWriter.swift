/// Writes CBOR item by item, for code in which `Codable` would be too slow.
///
/// The caller is responsible for the structure: `writeMapHead(count: 2)` must be followed by two keys and two values,
/// each of them one item. This is not checked. Heads have their shortest form.
public struct CBORWriter: Sendable {
    /// The bytes written so far.
    public internal(set) var bytes: [UInt8]
    /// How many arrays and maps of a ``CBORItem`` are open.
    var depth = 0

    /// Makes a writer without bytes.
    ///
    /// - Parameter capacity: The number of bytes to reserve memory for.
    public init(capacity: Int = 128) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Makes a writer that appends to `bytes`.
    public init(appendingTo bytes: consuming [UInt8]) {
        self.bytes = bytes
    }

    /// Writes null.
    @inline(__always)
    public mutating func writeNull() {
        bytes.append(0xf6)
    }

    /// Writes true or false.
    @inline(__always)
    public mutating func writeBool(_ value: Bool) {
        bytes.append(value ? 0xf5 : 0xf4)
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
    mutating func writeContent(_ majorType: CBORMajorType, _ content: UnsafeRawBufferPointer) {
        guard content.count < 24 else {
            writeHead(majorType, UInt64(content.count))
            return bytes.append(contentsOf: content)
        }
        // Short strings are frequent, and one change of the array costs less than two.
        bytes.append(addingCapacity: 1 + content.count) { output in
            output.append(majorType.rawValue << 5 | UInt8(truncatingIfNeeded: content.count))
            output.withUnsafeMutableBufferPointer { buffer, count in
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                rest.copyMemory(from: content)
                count += content.count
            }
        }
    }

    private mutating func writeSeparated(_ value: String) {
        writeString(CombiningMarks.separated(value))
    }

    /// Writes a byte string.
    public mutating func writeBytes(_ value: some Collection<UInt8>) {
        writeHead(.bytes, UInt64(value.count))
        bytes.append(contentsOf: value)
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
        bytes.append(contentsOf: item.bytes)
    }

    /// Writes bytes that are known to be encoded items, such as a value from `CBORMap.entries(of:)`.
    public mutating func writeRaw(_ items: ArraySlice<UInt8>) {
        bytes.append(contentsOf: items)
    }

    /// Writes the head of an item in the shortest form that holds `argument`.
    @inline(__always)
    mutating func writeHead(_ majorType: CBORMajorType, _ argument: UInt64) {
        let initial = majorType.rawValue << 5
        if argument < 24 {
            bytes.append(initial | UInt8(truncatingIfNeeded: argument))
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
        bytes.append(addingCapacity: 1 + T.bitWidth / 8) { output in
            output.append(initial)
            var shift = T.bitWidth
            while shift > 0 {
                shift &-= 8
                output.append(UInt8(truncatingIfNeeded: bigEndian >> T(truncatingIfNeeded: shift)))
            }
        }
    }
}
