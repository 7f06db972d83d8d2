/// A dictionary whose keys are `String`.
private protocol TextKeyed {}

extension Dictionary: TextKeyed where Key == String {}

extension DecodingLocation {
    /// Checks that each entry of a map becomes one entry of a dictionary. The standard library looks keys up by name.
    /// It would silently drop a key without a name, and one of two keys with the same name.
    ///
    /// All keys must be text. If the dictionary's keys are not `String`, they may also all be integers.
    /// - Throws: `DecodingError` with the map's path and the offset of the key.
    func checkDictionaryKeys(from first: Int, count: Int, _ step: PathStep?) throws {
        var reader = state.reader(at: first)
        var texts = 0
        var mayMeet = false
        for index in 0..<count {
            let start = reader.offset
            let head = try reader.readHeadSkippingTags()
            switch head.majorType {
            case .text:
                if head.isIndefinite {
                    _ = try reader.readText(head)
                    mayMeet = true
                } else {
                    mayMeet = try reader.take(head.argument).contains { $0 >= 0x80 } || mayMeet
                }
                texts += 1
            case .unsigned, .negative:
                if state.decodedType is any TextKeyed.Type {
                    throw wrongKey("text for each key, found an integer", at: start, step)
                }
                guard head.integer(Int.self) != nil else {
                    throw wrongKey("keys of 64 bits at most", at: start, step)
                }
            default:
                throw wrongKey("text for each key, found \(head.kind)", at: start, step)
            }
            guard texts == 0 || texts == index + 1 else {
                throw wrongKey("either text or integers for all keys, found both", at: start, step)
            }
            try reader.skipItem()
        }
        if mayMeet { try checkDifferentTexts(from: first, count: count, step) }
    }

    /// Checks that no two keys are equal strings. Strings with different bytes can be equal: an umlaut can be written
    /// as one character, or as a letter and a combining mark.
    private func checkDifferentTexts(from first: Int, count: Int, _ step: PathStep?) throws {
        var reader = state.reader(at: first)
        var seen: Set<String> = []
        for _ in 0..<count {
            let start = reader.offset
            if let name = try reader.readKeyName(), !seen.insert(name).inserted {
                throw wrongKey("each key once, found '\(name)' again in other characters", at: start, step)
            }
            try reader.skipItem()
        }
    }
}
