/// Parses the kernel's text files: lines of fields separated by blanks.
///
/// Works on bytes instead of strings, because names in the files need not be UTF-8.
enum ProcText {
    /// The lines that end with a line feed. The text after the last line feed is truncated, perhaps inside a number,
    /// and is left out.
    static func completeLines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        lines.removeLast()
        return lines
    }

    static func fields(of line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    /// Parses an integer. Nil for anything but digits, and for more than 64 bits.
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

    /// Parses a decimal number. Nil for anything but digits with at most one point after the first digit, and for a
    /// number that is too large for a Double.
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

    /// The text for people: invalid UTF-8 is repaired, and control characters, which could control a terminal, are
    /// replaced.
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
