/// Percent encoding, as addresses have it.
enum Percent {
    static func encode(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        guard !text.utf8.allSatisfy(isKept) else { return text }
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if isKept(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// - Returns: `nil` if the text is not encoded so, or is no UTF-8.
    static func decode(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(value(of:)), let low = rest.popFirst().flatMap(value(of:)) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func value(of digit: UInt8) -> UInt8? {
        digits.firstIndex(of: digit).map { UInt8($0) }
    }
}
