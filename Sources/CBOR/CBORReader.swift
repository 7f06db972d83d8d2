/// Walks encoded bytes item by item and never leaves their bounds, whatever they hold.
///
/// It borrows the bytes: use it inside ``walk(_:_:)`` and keep no copy.
package struct CBORReader {
    /// The bytes it walks over.
    package let bytes: UnsafeRawBufferPointer
    /// Where the next item starts, counted from the first byte.
    package var offset: Int

    /// Starts at `offset`, which must not be negative.
    package init(_ bytes: UnsafeRawBufferPointer, offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// Lends a reader at the first byte.
    ///
    /// - Throws: what `body` throws.
    package static func walk<Result>(
        _ bytes: ArraySlice<UInt8>, _ body: (inout CBORReader) throws(CBORError) -> Result
    ) throws(CBORError) -> Result {
        try bytes.withUnsafeBufferPointer { buffer throws(CBORError) in
            var reader = CBORReader(UnsafeRawBufferPointer(buffer))
            return try body(&reader)
        }
    }

    /// Whether every byte has been walked over.
    package var isAtEnd: Bool { offset >= bytes.count }

    /// How many bytes are left.
    package var remaining: Int { max(0, bytes.count - offset) }

    /// The next byte, without walking over it.
    @inline(__always)
    package func peek() throws(CBORError) -> UInt8 {
        guard offset < bytes.count else { throw CBORError(.unexpectedEnd, at: bytes.count) }
        return bytes[offset]
    }

    /// Reads a head and stops behind it: at a string's content, an array's first element, a map's first key.
    @inline(__always)
    package mutating func readHead() throws(CBORError) -> CBORHead {
        let initial = try peek()
        let information = initial & 0x1f
        // Three bits have eight values, and the enumeration has a case for each, stored as its place in the list.
        let majorType = unsafeBitCast(initial >> 5, to: CBORMajorType.self)
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

    /// Checks that `length` more bytes are there, and walks over them.
    @inline(__always)
    package mutating func take(_ length: UInt64) throws(CBORError) -> UnsafeRawBufferPointer {
        guard length <= UInt64(remaining) else { throw CBORError(.lengthBeyondInput, at: offset) }
        let start = offset
        offset += Int(length)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }

    /// Checks a claimed number of items against the bytes that remain, each item taking at least one byte.
    @inline(__always)
    func itemCount(_ head: CBORHead) throws(CBORError) -> Int {
        let room = UInt64(remaining)
        guard head.argument <= (head.majorType == .map ? room / 2 : room) else {
            throw CBORError(.lengthBeyondInput, at: offset)
        }
        return Int(head.argument) * (head.majorType == .map ? 2 : 1)
    }

    /// Walks over a whole item without decoding it.
    ///
    /// - Parameter maximumDepth: how deep indefinite-length items may be nested.
    /// - Throws: `CBORError` for a truncated or malformed item. UTF-8 and duplicate keys are not looked at.
    package mutating func skipItem(maximumDepth: Int = CBORLimits.deepest) throws(CBORError) {
        // Items still to come. Counting instead of recursing keeps the usual, definite items off the stack; the count
        // cannot overflow because it never exceeds the bytes that remain.
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

    /// Walks over a break if one comes next.
    @inline(__always)
    package mutating func takeBreak() throws(CBORError) -> Bool {
        guard try peek() == 0xff else { return false }
        offset += 1
        return true
    }

    /// Reads the head of the next chunk of an indefinite-length string, or walks over the break and gives nil.
    package mutating func nextChunk(of majorType: CBORMajorType) throws(CBORError) -> CBORHead? {
        let start = offset
        let head = try readHead()
        if head.isBreak { return nil }
        guard head.majorType == majorType, !head.isIndefinite else { throw CBORError(.invalidChunk, at: start) }
        return head
    }
}
