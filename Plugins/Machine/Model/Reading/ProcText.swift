/// How the kernel writes its figures: lines of fields parted by blanks.
///
/// Bytes rather than strings, since names in them needn't be UTF-8.
enum ProcText {
    /// The lines that end with a line feed. What stands after the last one was cut short, maybe inside a number.
    static func completeLines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        lines.removeLast()
        return lines
    }

    static func fields(of line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    /// Nil for anything but digits, and for more than 64 bits.
    static func number(_ field: some Sequence<UInt8>) -> UInt64? {
        var value: UInt64?
        for byte in field {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let (product, overflow) = (value ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    /// Nil for anything but digits with at most one point behind the first, and for what is too large for a Double.
    static func decimal(_ field: some Sequence<UInt8>) -> Double? {
        let bytes = Array(field)
        let isPlain = bytes.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
        }
        guard isPlain, bytes.first != UInt8(ascii: "."), let value = Double(String(decoding: bytes, as: UTF8.self)),
            value.isFinite
        else { return nil }
        return value
    }

    /// Text for people: what isn't UTF-8 repaired, and control characters, which could steer a terminal, replaced.
    static func printable(_ bytes: some Sequence<UInt8>, maximumBytes: Int) -> String {
        var text = ""
        for scalar in String(decoding: Array(bytes), as: UTF8.self).unicodeScalars {
            let shown = scalar.properties.generalCategory == .control ? "?" : scalar
            guard text.utf8.count + UTF8.width(shown) <= maximumBytes else { break }
            text.unicodeScalars.append(shown)
        }
        return text
    }
}
