extension UnsafeRawBufferPointer {
    /// Whether these bytes are valid UTF-8.
    @inline(__always)
    var isUTF8: Bool {
        var index = 0
        var seen: UInt64 = 0
        while index &+ 8 <= count {
            seen |= loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        while index < count {
            seen |= UInt64(self[index])
            index &+= 1
        }
        // Nearly all text on the bus is ASCII, and calling out costs more than looking.
        return seen & 0x8080_8080_8080_8080 == 0 || isUTF8Beyond
    }

    private var isUTF8Beyond: Bool {
        withMemoryRebound(to: UInt8.self) { (try? UTF8Span(validating: $0.span)) != nil }
    }
}

extension String {
    /// Makes a string of bytes that must be valid UTF-8, or gives nil.
    @inline(__always)
    init?(validatingUTF8Bytes bytes: UnsafeRawBufferPointer) {
        let text = bytes.withMemoryRebound(to: UInt8.self) { buffer -> String? in
            guard let span = try? UTF8Span(validating: buffer.span) else { return nil }
            return String(copying: span)
        }
        guard let text else { return nil }
        self = text
    }
}
