extension UnsafeRawBufferPointer {
    /// Whether these bytes are valid UTF-8.
    @inline(__always)
    var isUTF8: Bool {
        // Nearly all text on the bus is ASCII, and calling the validator costs more than the test for ASCII.
        isASCII || withMemoryRebound(to: UInt8.self) { (try? UTF8Span(validating: $0.span)) != nil }
    }

    @inline(__always)
    var isASCII: Bool {
        // Every load of eight bytes begins at least eight bytes before the end.
        var seen: UInt64 = 0
        if count >= 8 {
            var index = 0
            while index < count &- 8 {
                seen |= loadUnaligned(fromByteOffset: index, as: UInt64.self)
                index &+= 8
            }
            // The last eight bytes; some of them may have been read already.
            seen |= loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        } else {
            for byte in self { seen |= UInt64(byte) }
        }
        return seen & 0x8080_8080_8080_8080 == 0
    }
}

extension String {
    /// Makes a string from bytes, or returns nil if they are not valid UTF-8.
    @inline(__always)
    package init?(validatingUTF8Bytes bytes: UnsafeRawBufferPointer) {
        let isASCII = bytes.isASCII
        let text = bytes.withMemoryRebound(to: UInt8.self) { buffer -> String? in
            // ASCII is valid UTF-8.
            if isASCII { return String(copying: UTF8Span(unchecked: buffer.span, isKnownASCII: true)) }
            guard let span = try? UTF8Span(validating: buffer.span) else { return nil }
            return String(copying: span)
        }
        guard let text else { return nil }
        self = text
    }
}
