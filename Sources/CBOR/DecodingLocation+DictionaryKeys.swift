/// A dictionary that has nothing but text for keys.
private protocol TextKeyed {}

extension Dictionary: TextKeyed where Key == String {}

extension DecodingLocation {
    /// Checks that each entry of a map becomes one of a dictionary. The standard library takes the keys that it is given, by their
    /// names: one without a name, or two of one name, would be lost in silence.
    ///
    /// A key is text, or an integer where the dictionary's keys need not be `String`; a map has only one of the two.
    /// - Throws: `DecodingError` that names the map and the place of the key.
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

    /// Two texts of different bytes can be equal: an umlaut has a character of its own, and is a letter with a mark.
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
