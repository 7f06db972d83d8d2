/// Parses JSON (RFC 8259) into a value, within limits on depth and size.
struct JSONParser {
    // The parser exists only during `parse`, which keeps the bytes.
    private let text: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private var items = 0
    private let limits: CBORLimits

    /// Parses a text that holds exactly one JSON value.
    ///
    /// - Throws: `CBORError` for anything but one JSON value within `limits`.
    static func parse(_ text: String, limits: CBORLimits) throws(CBORError) -> CBORValue {
        let bytes = Array(text.utf8)
        guard bytes.count <= limits.maximumBytes else { throw CBORError(.tooManyBytes, at: limits.maximumBytes) }
        return try bytes.withUnsafeBufferPointer { buffer throws(CBORError) in
            var parser = JSONParser(text: buffer, limits: limits)
            let value = try parser.value(depth: 0)
            parser.skipSpace()
            guard parser.offset == buffer.count else { throw CBORError(.trailingBytes, at: parser.offset) }
            return value
        }
    }

    private init(text: UnsafeBufferPointer<UInt8>, limits: CBORLimits) {
        self.text = text
        self.limits = limits
    }

    // MARK: Characters

    private mutating func skipSpace() {
        while offset < text.count, text[offset].isJSONSpace { offset += 1 }
    }

    private func peek() throws(CBORError) -> UInt8 {
        guard offset < text.count else { throw CBORError(.unexpectedEnd, at: text.count) }
        return text[offset]
    }

    /// Skips white space and returns the next character, which is not consumed.
    private mutating func peekToken() throws(CBORError) -> UInt8 {
        skipSpace()
        return try peek()
    }

    /// Consumes a character if it is next, and returns whether it was.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard offset < text.count, text[offset] == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(CBORError) {
        guard try peek() == UInt8(ascii: character) else { throw CBORError(.unexpectedJSONCharacter, at: offset) }
        offset += 1
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(CBORError) -> CBORValue {
        let token = try peekToken()
        items += 1
        guard items <= limits.maximumItems else { throw CBORError(.tooManyItems, at: offset) }
        switch token {
        case UInt8(ascii: "{"): return .map(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw CBORError(.unexpectedJSONCharacter, at: offset)
        }
    }

    private mutating func literal(_ word: StaticString, _ value: CBORValue) throws(CBORError) -> CBORValue {
        for index in 0..<word.utf8CodeUnitCount {
            try expect(Unicode.Scalar(word.utf8Start[index]))
        }
        return value
    }

    private func checkDepth(_ depth: Int) throws(CBORError) {
        guard depth <= min(limits.maximumDepth, CBORLimits.deepest) else { throw CBORError(.tooDeep, at: offset) }
    }

    private mutating func array(depth: Int) throws(CBORError) -> [CBORValue] {
        try checkDepth(depth)
        try expect("[")
        var elements: [CBORValue] = []
        guard try peekToken() != UInt8(ascii: "]") else {
            offset += 1
            return elements
        }
        repeat {
            elements.append(try value(depth: depth))
            skipSpace()
        } while take(",")
        try expect("]")
        return elements
    }

    private mutating func object(depth: Int) throws(CBORError) -> CBORMap {
        try checkDepth(depth)
        try expect("{")
        var entries: [CBORMap.Pair] = []
        // Names are compared by their bytes, as CBOR keys are: equal strings can have different bytes.
        var names: Set<[UInt8]> = []
        guard try peekToken() != UInt8(ascii: "}") else {
            offset += 1
            return CBORMap()
        }
        repeat {
            skipSpace()
            let start = offset
            let name = try string()
            guard names.insert(Array(name.utf8)).inserted else { throw CBORError(.duplicateKey, at: start) }
            skipSpace()
            try expect(":")
            entries.append(CBORMap.Pair(key: .string(name), value: try value(depth: depth)))
            skipSpace()
        } while take(",")
        try expect("}")
        return CBORMap(unique: entries)
    }

    // MARK: Numbers

    private mutating func number() throws(CBORError) -> CBORValue {
        let start = offset
        let isNegative = take("-")
        let integerDigits = takeDigits()
        guard integerDigits > 0, integerDigits == 1 || text[start + (isNegative ? 1 : 0)] != UInt8(ascii: "0") else {
            throw CBORError(.invalidJSONNumber, at: start)
        }
        var isInteger = true
        if take(".") {
            isInteger = false
            guard takeDigits() > 0 else { throw CBORError(.invalidJSONNumber, at: start) }
        }
        if take("e") || take("E") {
            isInteger = false
            if !take("+") { _ = take("-") }
            guard takeDigits() > 0 else { throw CBORError(.invalidJSONNumber, at: start) }
        }
        let digits = String(decoding: text[start..<offset], as: UTF8.self)
        if isInteger, let value = Int64(digits) { return .int(value) }
        if isInteger, let value = UInt64(digits) { return .unsigned(value) }
        guard let value = Double(digits), value.isFinite else { throw CBORError(.invalidJSONNumber, at: start) }
        return .double(value)
    }

    private mutating func takeDigits() -> Int {
        let start = offset
        while offset < text.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[offset] { offset += 1 }
        return offset - start
    }

    // MARK: Strings

    private mutating func string() throws(CBORError) -> String {
        let start = offset
        try expect("\"")
        var content: [UInt8] = []
        while true {
            let character = try peek()
            switch character {
            case UInt8(ascii: "\""):
                offset += 1
                guard content.withUnsafeBytes({ CombiningMarks.excess(in: $0) }) == nil else {
                    throw CBORError(.tooManyMarks, at: start)
                }
                return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                content.append(contentsOf: String(Character(try escape())).utf8)
            case 0..<0x20:
                throw CBORError(.unexpectedJSONCharacter, at: offset)
            default:
                content.append(character)
                offset += 1
            }
        }
    }

    private mutating func escape() throws(CBORError) -> Unicode.Scalar {
        let start = offset
        try expect("\\")
        let character = try peek()
        offset += 1
        switch character {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape(start)
        default: throw CBORError(.invalidJSONEscape, at: start)
        }
    }

    /// Reads the digits of an escaped UTF-16 code unit, and the second escape of a surrogate pair.
    private mutating func unicodeEscape(_ start: Int) throws(CBORError) -> Unicode.Scalar {
        let unit = try hexadecimal(start)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xdc00, take("\\"), take("u") else { throw CBORError(.invalidJSONEscape, at: start) }
        let low = try hexadecimal(start)
        guard 0xdc00..<0xe000 ~= low, let scalar = Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
        else { throw CBORError(.invalidJSONEscape, at: start) }
        return scalar
    }

    private mutating func hexadecimal(_ start: Int) throws(CBORError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(try peek())).hexDigitValue else {
                throw CBORError(.invalidJSONEscape, at: start)
            }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }
}

extension UInt8 {
    /// Whether this is one of JSON's four white space characters.
    var isJSONSpace: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r")
            || self == UInt8(ascii: "\t")
    }
}
