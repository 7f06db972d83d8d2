/// Decodes settings with errors that name the key. Unknown keys are refused: a mistyped key would otherwise silently
/// turn an alert off.
struct ConfigurationFields {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let container: KeyedDecodingContainer<Key>
    private let path: String

    /// - Throws: ``AlertRulesError`` when the value isn't an object or has an unknown key.
    init(_ decoder: any Decoder, known: [String]) throws {
        path = decoder.codingPath.map { $0.stringValue + "." }.joined()
        let keys = known.map { "'\($0)'" }.joined(separator: ", ")
        do {
            container = try decoder.container(keyedBy: Key.self)
        } catch is DecodingError {
            throw AlertRulesError(key: String(path.dropLast()), allowed: "an object with the keys \(keys)")
        }
        for key in container.allKeys where !known.contains(key.stringValue) {
            throw AlertRulesError(key: path + key.stringValue, allowed: "left out: the keys are \(keys)")
        }
    }

    /// - Throws: ``AlertRulesError`` when the value isn't a number.
    func number(_ key: String) throws -> Double? {
        do {
            return try container.decodeIfPresent(Double.self, forKey: Key(stringValue: key))
        } catch is DecodingError {
            throw AlertRulesError(key: path + key, allowed: "a number")
        }
    }

    /// - Throws: The error of the value's decoding.
    func value<Value: Decodable>(_ key: String, as type: Value.Type) throws -> Value? {
        try container.decodeIfPresent(type, forKey: Key(stringValue: key))
    }
}
