extension CBORValue {
    /// The value as compact JSON (RFC 8259).
    ///
    /// Bytes become base64 text. Numbers that JSON cannot express become the texts "NaN", "Infinity" and "-Infinity". A
    /// key that is not text becomes its diagnostic notation. A secret becomes a text of six dots. A map in which two keys
    /// would get the same name becomes a list of [key, value] pairs.
    public var json: String {
        var text = BoundedText()
        text.writeJSON(self)
        return text.result
    }

    /// Parses a value from JSON text.
    ///
    /// A number without fraction and exponent is an integer if it fits in 64 bits. Any other number is a `Double`.
    /// - Throws: ``CBORError`` for anything but one JSON value, for an object that holds a name twice, and for text
    ///   beyond the limits. Its offset counts the bytes of the text's UTF-8.
    public init(json text: String, limits: CBORLimits = .default) throws(CBORError) {
        self = try JSONParser.parse(text, limits: limits)
    }

    /// Makes a value from a command-line argument.
    ///
    /// An argument that is `true`, `false`, `null`, a number, an object or an array in JSON becomes that value.
    /// Everything else is taken as text, including its quotes. `007` is text too, because it is not a number in JSON.
    public init(argument text: String) {
        guard let first = text.utf8.first, first != UInt8(ascii: "\""), !(first.isJSONSpace),
            let value = try? CBORValue(json: text)
        else {
            self = .string(text)
            return
        }
        self = value
    }
}

extension BoundedText {
    fileprivate mutating func writeJSON(_ value: CBORValue) {
        switch value {
        case .null: write("null")
        case .bool(let value): write(value ? "true" : "false")
        case .int(let value): write("\(value)")
        case .unsigned(let value): write("\(value)")
        case .double(let value) where value.isFinite: write("\(value)")
        case .double(let value): write(value.isNaN ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\"")
        case .string(let value): writeQuoted(value)
        case .bytes(let value): write("\"\(value.base64)\"")
        case .array(let elements):
            write("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { write(",") }
                writeJSON(element)
            }
            write("]")
        case .map(let map) where map.hasEqualNames:
            writeJSON(.array(map.entries.map { .array([$0.key, $0.value]) }))
        case .map(let map):
            write("{")
            for (index, entry) in map.entries.enumerated() {
                if index > 0 { write(",") }
                // Write the key's name, not its JSON. With maps as keys, each level of nesting would double the
                // backslashes.
                writeQuoted(entry.key.jsonName)
                write(":")
                writeJSON(entry.value)
            }
            write("}")
        case .secret: writeQuoted(SecretTag.hidden)
        }
    }
}

extension CBORMap {
    /// Whether two keys have the same name in JSON. Keys that are all text never do.
    fileprivate var hasEqualNames: Bool {
        guard entries.contains(where: { $0.key.stringValue == nil }) else { return false }
        var names: Set<[UInt8]> = []
        return !entries.allSatisfy { names.insert(Array($0.key.jsonName.utf8)).inserted }
    }
}

extension CBORValue {
    fileprivate var jsonName: String { stringValue ?? diagnostic }
}

extension [UInt8] {
    /// Base64 with padding (RFC 4648, section 4).
    fileprivate var base64: String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        text.reserveCapacity((count + 2) / 3 * 4)
        for start in stride(from: 0, to: count, by: 3) {
            let group = self[start..<Swift.min(start + 3, count)]
            var bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            bits <<= 8
            for position in 0..<4 {
                let digit = alphabet[bits >> (26 - 6 * position) & 63]
                text.append(position <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
