/// Reads encoded bytes item by item. It never reads out of bounds, even if the bytes are malformed.
///
/// It borrows the bytes: use it inside ``walk(_:_:)`` and keep no copy.
package struct CBORReader {
    /// The bytes that are read.
    package let bytes: UnsafeRawBufferPointer
    /// The offset of the next item from the first byte.
    package var offset: Int

    /// Makes a reader that starts at `offset`, which must not be negative.
    package init(_ bytes: UnsafeRawBufferPointer, offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// Calls `body` with a reader at the first byte.
    ///
    /// - Throws: The error of `body`.
    package static func walk<Result>(
        _ bytes: ArraySlice<UInt8>, _ body: (inout CBORReader) throws(CBORError) -> Result
    ) throws(CBORError) -> Result {
        try bytes.withUnsafeBufferPointer { buffer throws(CBORError) in
            var reader = CBORReader(UnsafeRawBufferPointer(buffer))
            return try body(&reader)
        }
    }

    /// Whether all bytes have been read.
    package var isAtEnd: Bool { offset >= bytes.count }

    /// The number of bytes that are left.
    package var remaining: Int { max(0, bytes.count - offset) }

    /// The next byte, which is not consumed.
    @inline(__always)
    package func peek() throws(CBORError) -> UInt8 {
        guard offset < bytes.count else { throw CBORError(.unexpectedEnd, at: bytes.count) }
        return bytes[offset]
    }

    /// Reads a head and stops after it: at a string's content, an array's first element, or a map's first key.
    @inline(__always)
    package mutating func readHead() throws(CBORError) -> CBORHead {
        let initial = try peek()
        let information = initial & 0x1f
        let majorType = CBORMajorType(ofInitial: initial)
        if information < 24 {
            offset += 1
            return CBORHead(majorType: majorType, information: information, argument: UInt64(information))
        }
        return try readLongHead(majorType, information)
    }

    private mutating func readLongHead(
        _ majorType: CBORMajorType, _ information: UInt8
    ) throws(CBORError) -> CBORHead {
        guard information < 28 else {
            switch majorType {
            case .bytes, .text, .array, .map, .simple:
                guard information == 31 else { fallthrough }
                offset += 1
                return CBORHead(majorType: majorType, information: information, argument: 0)
            case .unsigned, .negative, .tag:
                throw CBORError(.reservedInformation, at: offset)
            }
        }
        let length = 1 << Int(information - 24)
        guard remaining > length else { throw CBORError(.unexpectedEnd, at: bytes.count) }
        let argument: UInt64 =
            switch information {
            case 24: UInt64(bytes[offset + 1])
            case 25: UInt64(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt16.self)))
            case 26: UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt32.self)))
            default: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt64.self))
            }
        if majorType == .simple, information == 24, argument < 32 {
            throw CBORError(.invalidSimpleValue, at: offset)
        }
        offset += 1 + length
        return CBORHead(majorType: majorType, information: information, argument: argument)
    }

    /// Reads the head of the next item that is not a tag.
    @inline(__always)
    package mutating func readHeadSkippingTags() throws(CBORError) -> CBORHead {
        var head = try readHead()
        while head.majorType == .tag { head = try readHead() }
        return head
    }

    /// Checks that `length` more bytes are left, and consumes them.
    @inline(__always)
    package mutating func take(_ length: UInt64) throws(CBORError) -> UnsafeRawBufferPointer {
        guard length <= UInt64(remaining) else { throw CBORError(.lengthBeyondInput, at: offset) }
        let start = offset
        offset += Int(length)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }

    /// Checks a claimed number of items against the remaining bytes: each item needs at least one byte.
    @inline(__always)
    func itemCount(_ head: CBORHead) throws(CBORError) -> Int {
        let room = UInt64(remaining)
        guard head.argument <= (head.majorType == .map ? room / 2 : room) else {
            throw CBORError(.lengthBeyondInput, at: offset)
        }
        return Int(head.argument) * (head.majorType == .map ? 2 : 1)
    }

    /// Skips a whole item without decoding it.
    ///
    /// - Parameter maximumDepth: The maximum nesting of indefinite-length items.
    /// - Throws: `CBORError` for a truncated or malformed item. UTF-8 and duplicate keys are not checked.
    package mutating func skipItem(maximumDepth: Int = CBORLimits.deepest) throws(CBORError) {
        // The number of items still to skip. Definite-length items are counted rather than recursed into, to save stack
        // space. The count cannot overflow because it never exceeds the number of remaining bytes.
        var pending = 1
        while pending > 0 {
            let start = offset
            let head = try readHead()
            pending -= 1
            switch head.majorType {
            case .unsigned, .negative:
                break
            case .bytes, .text:
                if head.isIndefinite {
                    while let chunk = try nextChunk(of: head.majorType) { _ = try take(chunk.argument) }
                } else {
                    _ = try take(head.argument)
                }
            case .array, .map:
                if head.isIndefinite {
                    try skipToBreak(head.majorType, maximumDepth: maximumDepth, from: start)
                } else {
                    pending += try itemCount(head)
                    guard pending <= remaining else { throw CBORError(.lengthBeyondInput, at: start) }
                }
            case .tag:
                pending += 1
            case .simple:
                if head.isBreak { throw CBORError(.unexpectedBreak, at: start) }
            }
        }
    }

    private mutating func skipToBreak(
        _ majorType: CBORMajorType, maximumDepth: Int, from start: Int
    ) throws(CBORError) {
        guard maximumDepth > 0 else { throw CBORError(.tooDeep, at: start) }
        while try !takeBreak() {
            try skipItem(maximumDepth: maximumDepth - 1)
            if majorType == .map { try skipItem(maximumDepth: maximumDepth - 1) }
        }
    }

    /// Consumes a break if it is next, and returns whether it was.
    @inline(__always)
    package mutating func takeBreak() throws(CBORError) -> Bool {
        guard try peek() == 0xff else { return false }
        offset += 1
        return true
    }

    /// Reads the head of the next chunk of an indefinite-length string, or consumes the break and returns nil.
    package mutating func nextChunk(of majorType: CBORMajorType) throws(CBORError) -> CBORHead? {
        let start = offset
        let head = try readHead()
        if head.isBreak { return nil }
        guard head.majorType == majorType, !head.isIndefinite else { throw CBORError(.invalidChunk, at: start) }
        return head
    }
}
