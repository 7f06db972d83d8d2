/// Texts as JSON, without line feeds.
enum JSONText {
    static func append(_ text: String, to json: inout String) {
        json += "\""
        // Markup is full of quotation marks, so this goes through bytes, which is faster than through characters.
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count + text.utf8.count / 8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): escaped += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): escaped += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case 0x00..<0x20: escaped += "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: escaped.append(byte)
            }
        }
        json += String(decoding: escaped, as: UTF8.self)
        json += "\""
    }

    static func string(_ text: String) -> String {
        var json = ""
        append(text, to: &json)
        return json
    }
}
