import CBOR

extension FuzzTarget {
    /// A value that a person writes as JSON, on a command line or in a plugin's manifest.
    static let json = FuzzTarget("json") { input, memory in
        let text = String(decoding: input, as: UTF8.self)
        let argument = CBORValue(argument: text)
        let value: CBORValue
        do {
            value = try memory.bounded(text.utf8.count) { try CBORValue(json: text) }
        } catch let error as CBORError {
            try require((0...text.utf8.count).contains(error.offset), "an error outside of the text: \(error)")
            // Text that is not JSON is taken literally.
            return try require(argument.encoded() == CBORValue.string(text).encoded(), "'\(text)' is \(argument)")
        }
        try require(value.isJSON, "JSON was decoded as \(value), which JSON cannot represent")
        let bytes = value.encoded()
        try require(try CBORValue(decoding: bytes).encoded() == bytes, "\(value) changes when encoded and decoded")
        let json = value.json
        try require(try CBORValue(json: json).encoded() == bytes, "\(value) changes through its JSON \(json)")
        try require(
            [bytes, CBORValue.string(text).encoded()].contains(argument.encoded()),
            "'\(text)' is \(argument) on a command line")

        let limits = CBORLimits(maximumDepth: 2, maximumBytes: 40, maximumItems: 8)
        do {
            let same = try CBORValue(json: text, limits: limits)
            try require(same.encoded() == bytes, "other limits give another value")
            try require(text.utf8.count <= limits.maximumBytes, "\(text.utf8.count) bytes were accepted")
        } catch let error as CBORError {
            try require([.tooDeep, .tooManyBytes, .tooManyItems].contains(error.code), "refused as \(error)")
        }
    }
}
