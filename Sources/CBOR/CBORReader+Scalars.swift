extension CBORReader {
    /// The content of a byte or text string whose head has just been read. Chunks are joined.
    mutating func readContent(_ head: CBORHead) throws(CBORError) -> [UInt8] {
        guard head.isIndefinite else { return Array(try take(head.argument)) }
        var content: [UInt8] = []
        while let chunk = try nextChunk(of: head.majorType) {
            content.append(contentsOf: try take(chunk.argument))
        }
        return content
    }

    /// The text of a string whose head has just been read.
    @inline(__always)
    mutating func readText(_ head: CBORHead) throws(CBORError) -> String {
        guard !head.isIndefinite else { return try readChunkedText(head) }
        let start = offset
        let content = try take(head.argument)
        guard let text = String(validatingUTF8Bytes: content) else { throw CBORError(.invalidUTF8, at: start) }
        return text
    }

    private mutating func readChunkedText(_ head: CBORHead) throws(CBORError) -> String {
        var text = ""
        // A character may not be split between chunks (RFC 8949, section 3.2.3), so each chunk is validated by itself.
        while let chunk = try nextChunk(of: .text) { text += try readText(chunk) }
        return text
    }

    /// Reads a text string, skipping tags before it.
    ///
    /// - Throws: `CBORError` with `notATextKeyedMap` for any other item: only keys are read this way.
    package mutating func readTextKey() throws(CBORError) -> String {
        let start = offset
        let head = try readHeadSkippingTags()
        guard head.majorType == .text else { throw CBORError(.notATextKeyedMap, at: start) }
        return try readText(head)
    }

    /// Reads the head of a map, skipping tags before it, and returns the number of its entries.
    ///
    /// The entries of an indefinite-length map are counted by skipping over them once.
    package mutating func readMapHead() throws(CBORError) -> Int {
        let start = offset
        let head = try readHeadSkippingTags()
        guard head.majorType == .map else { throw CBORError(.notATextKeyedMap, at: start) }
        return try countElements(head) / 2
    }

    /// The number of items in an array or map whose head has just been read. A map's entry counts as two items.
    @inline(__always)
    func countElements(_ head: CBORHead) throws(CBORError) -> Int {
        head.isIndefinite ? try countToBreak() : try itemCount(head)
    }

    private func countToBreak() throws(CBORError) -> Int {
        var ahead = self
        var count = 0
        while try !ahead.takeBreak() {
            try ahead.skipItem()
            count += 1
        }
        return count
    }
}

extension CBORHead {
    /// The floating-point number in this head, or nil if it holds none.
    @inline(__always)
    var floatingPoint: Double? {
        guard majorType == .simple else { return nil }
        switch information {
        case 25: return Double(halfPrecision: UInt16(truncatingIfNeeded: argument))
        case 26: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: argument)))
        case 27: return Double(bitPattern: argument)
        default: return nil
        }
    }

    /// The integer in this head, or nil if the head holds no integer or the integer does not fit.
    @inline(__always)
    func integer<T: FixedWidthInteger>(_ type: T.Type) -> T? {
        switch majorType {
        case .unsigned: T(exactly: argument)
        // CBOR stores -1 - n; n up to Int64.max covers every negative number that Swift's 64-bit types hold.
        case .negative: argument <= UInt64(Int64.max) ? T(exactly: -1 - Int64(argument)) : nil
        default: nil
        }
    }

    /// The integer in this head as a floating-point number, rounded if necessary.
    var integerAsDouble: Double? {
        switch majorType {
        case .unsigned: Double(argument)
        case .negative: -1 - Double(argument)
        default: nil
        }
    }
}

extension Double {
    /// Widens an IEEE 754 half-precision number. `Float16` is not used because it does not exist on every platform.
    init(halfPrecision bits: UInt16) {
        let magnitude = UInt64(bits & 0x7fff)
        let sign = UInt64(bits & 0x8000) << 48
        switch magnitude {
        case 0x7c00...: self.init(bitPattern: sign | (0x7ff0 << 48) | (magnitude & 0x3ff) << 42)
        case 0x0400...: self.init(bitPattern: sign | ((magnitude << 42) + (1008 << 52)))
        default: self = Double(magnitude) * (sign == 0 ? 0x1p-24 : -0x1p-24)
        }
    }
}
