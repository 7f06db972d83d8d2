import CBOR

extension FuzzTarget {
    /// One CBOR item without a schema, decoded in every supported way.
    static let cbor = FuzzTarget("cbor") { input, memory in
        let value: CBORValue
        do {
            value = try memory.bounded(input.count) { try CBORValue(decoding: input) }
        } catch let error as CBORError {
            return try checkRefusal(error, of: input, memory)
        }
        try checkAcceptance(of: input, as: value)
        try checkLimits(on: input, value)
        try checkEntries(of: input, value, memory)
        try checkText(of: value, from: input)
    }

    /// Checks that all ways of decoding refuse an input for the same reason.
    private static func checkRefusal(_ error: CBORError, of input: [UInt8], _ memory: MemoryMeter) throws {
        try require((0...input.count).contains(error.offset), "an error outside of the input: \(error)")
        let ways: [() throws -> Void] = [
            { _ = try CBORRaw(input) },
            { _ = try CBORMap.entries(of: input) },
            { _ = try CBORDecoder().decode(CBORValue.self, from: input) },
            { _ = try CBORDecoder().decode([CBORRaw].self, from: input) },
        ]
        for way in ways {
            do {
                try memory.bounded(input.count, way)
            } catch let other as CBORError {
                try require(other == error, "refused with '\(error)' in one way and with '\(other)' in another")
                continue
            }
            throw Violation("refused with '\(error)' in one way and accepted in another")
        }
    }

    /// Checks that an accepted input is exactly one item, and survives encoding.
    private static func checkAcceptance(of input: [UInt8], as value: CBORValue) throws {
        let end = try CBORReader.walk(input[...]) { reader throws(CBORError) in
            try reader.skipItem()
            return reader.offset
        }
        try require(end == input.count, "\(end) bytes of \(input.count) are one item")
        for wrong in [input.dropLast(), input + [0]] {
            try require((try? CBORRaw(Array(wrong))) == nil, "an item is still accepted with a byte less or more")
        }
        let bytes = value.encoded()
        // A half-precision number has three bytes in the input, and nine after encoding.
        try require(bytes.count <= 3 * input.count, "\(input.count) bytes are written as \(bytes.count)")
        let again = try CBORValue(decoding: bytes)
        try require(again.encoded() == bytes, "a value changes when it is encoded and decoded: \(value)")
        try require(try CBOREncoder().encode(value) == bytes, "the encoder and the value write different bytes")
        let raw = try CBORDecoder().decode(CBORRaw.self, from: input)
        try require(raw.bytes == input, "the bytes of an item change when it is passed on")
        try require(try raw.decode(as: CBORValue.self).encoded() == bytes, "an item that is passed on changes")
    }

    /// Checks that tighter limits refuse more inputs, and do not change the values of accepted ones.
    private static func checkLimits(on input: [UInt8], _ value: CBORValue) throws {
        let limits = CBORLimits(maximumDepth: 2, maximumBytes: 40, maximumItems: 8)
        do {
            let same = try CBORValue(decoding: input, limits: limits)
            try require(same.encoded() == value.encoded(), "other limits give another value")
            try require(input.count <= limits.maximumBytes, "\(input.count) bytes were accepted")
            try require(value.depth <= limits.maximumDepth, "a depth of \(value.depth) was accepted")
            try require(value.itemCount <= limits.maximumItems, "\(value.itemCount) items were accepted")
        } catch let error as CBORError {
            try require([.tooDeep, .tooManyBytes, .tooManyItems].contains(error.code), "refused as \(error)")
        }
    }

    /// Checks that scanning a map without decoding its values finds the same entries.
    private static func checkEntries(of input: [UInt8], _ value: CBORValue, _ memory: MemoryMeter) throws {
        let map = value.unmarked.mapValue
        let isMap = map?.entries.allSatisfy { $0.key.unmarked.stringValue != nil } == true
        let found: [(key: String, value: ArraySlice<UInt8>)]
        do {
            found = try memory.bounded(input.count) { try CBORMap.entries(of: input) }
        } catch let error as CBORError {
            return try require(error.code == .notATextKeyedMap && !isMap, "a map's entries were refused: \(error)")
        }
        let entries = try require(isMap ? map?.entries : nil, "entries were found where there is no map")
        try require(found.count == entries.count, "\(found.count) of \(entries.count) entries were found")
        for (found, entry) in zip(found, entries) {
            try require(Array(found.key.utf8) == entry.key.unmarked.stringValue.map { Array($0.utf8) }, "a key differs")
            let decoded = try CBORValue(decoding: found.value)
            try require(decoded.encoded() == entry.value.encoded(), "the value of a key differs")
        }
    }

    /// Checks that a value's text has no control characters and the requested length, and that its JSON is valid.
    private static func checkText(of value: CBORValue, from input: [UInt8]) throws {
        let text = value.diagnostic
        let json = value.json
        // A control character in a key is one byte in the input, and seven characters when quoted twice.
        for text in [text, json] {
            try require(text.utf8.count <= 16 * input.count + 16, "\(input.count) bytes are \(text.utf8.count) as text")
        }
        let isPlain = text.unicodeScalars.allSatisfy { $0 >= " " && !("\u{7f}"..."\u{9f}").contains($0) }
        try require(isPlain, "a control character in '\(text)'")
        for length in [0, 1, 20] {
            let cut = value.diagnostic(maximumLength: length)
            let isCut = text.unicodeScalars.count > length
            try require(cut.unicodeScalars.count == min(length, text.unicodeScalars.count), "'\(cut)' is not \(length)")
            try require(isCut || cut == text, "'\(cut)' is truncated although it is short")
            try require(text.unicodeScalars.starts(with: cut.unicodeScalars.dropLast(isCut ? 1 : 0)), "'\(cut)'")
        }
        guard value.isJSON else { return }
        let read = try CBORValue(json: json)
        try require(read.encoded() == value.encoded(), "\(value) becomes \(read) through JSON: \(json)")
    }
}

extension CBORValue {
    /// Whether JSON can represent the value without loss.
    var isJSON: Bool {
        switch self {
        case .null, .bool, .int, .unsigned, .string: true
        case .double(let number): number.isFinite
        case .bytes, .secret: false
        case .array(let elements): elements.allSatisfy(\.isJSON)
        case .map(let map): map.entries.allSatisfy { $0.key.stringValue != nil && $0.value.isJSON }
        }
    }

    /// The value without the mark of a secret.
    fileprivate var unmarked: CBORValue {
        if case .secret(let secret) = self { secret.revealed } else { self }
    }

    fileprivate var depth: Int {
        switch self {
        case .secret(let secret): secret.revealed.depth
        case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        case .map(let map): 1 + (map.entries.map { max($0.key.depth, $0.value.depth) }.max() ?? 0)
        default: 0
        }
    }

    fileprivate var itemCount: Int {
        switch self {
        case .secret(let secret): 1 + secret.revealed.itemCount
        case .array(let elements): elements.reduce(1) { $0 + $1.itemCount }
        case .map(let map): map.entries.reduce(1) { $0 + $1.key.itemCount + $1.value.itemCount }
        default: 1
        }
    }
}
