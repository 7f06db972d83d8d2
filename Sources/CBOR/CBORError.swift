/// The reason why bytes are refused as CBOR, or text as JSON, and the place of the error.
///
/// Well-formed input that does not fit the requested type is a `DecodingError` with a coding path instead.
public struct CBORError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A kind of malformed or refused input.
    public enum Code: Hashable, Sendable {
        /// The input ends inside an item.
        case unexpectedEnd
        /// A whole item is followed by more bytes.
        case trailingBytes
        /// The head uses additional information 28 to 30, or an indefinite length in an item that cannot have one.
        case reservedInformation
        /// A break outside an indefinite-length item, or between a key and its value.
        case unexpectedBreak
        /// A simple value below 32 written in two bytes.
        case invalidSimpleValue
        /// A chunk of an indefinite-length string that is not a definite-length string of the same kind.
        case invalidChunk
        /// A text string that is not UTF-8.
        case invalidUTF8
        /// A text with more than 30 combining marks in a row. Comparing it would take very long.
        case tooManyMarks
        /// A map that holds a key twice.
        case duplicateKey
        /// A string, array or map whose length or count exceeds the remaining bytes.
        case lengthBeyondInput
        /// Arrays and maps nested deeper than ``CBORLimits/maximumDepth``.
        case tooDeep
        /// More items than ``CBORLimits/maximumItems``.
        case tooManyItems
        /// More bytes than ``CBORLimits/maximumBytes``.
        case tooManyBytes
        /// An item that is not a map with text keys, where one is required.
        case notATextKeyedMap
        /// A character that JSON does not allow at this place.
        case unexpectedJSONCharacter
        /// An escape sequence that JSON does not know, or half a surrogate pair.
        case invalidJSONEscape
        /// A JSON number that is malformed, or too large for a `Double`.
        case invalidJSONNumber
    }

    /// The kind of the error.
    public let code: Code
    /// The offset of the offending byte in the input.
    public let offset: Int

    package init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// One sentence for a log or a terminal.
    public var description: String {
        "\(code.explanation) (at byte \(offset))"
    }
}

extension CBORError.Code {
    fileprivate var explanation: String {
        switch self {
        case .unexpectedEnd: "the input ends inside an item; it may have been cut off"
        case .trailingBytes: "the item is followed by more bytes; exactly one item is expected"
        case .reservedInformation: "the item's head is reserved in CBOR"
        case .unexpectedBreak: "a break is found where an item is expected"
        case .invalidSimpleValue: "a simple value below 32 is written in two bytes"
        case .invalidChunk: "an indefinite-length string holds something other than strings of its kind"
        case .invalidUTF8: "a text string is not valid UTF-8"
        case .tooManyMarks: "a text has more than \(CombiningMarks.maximum) combining marks in a row"
        case .duplicateKey: "a map holds the same key twice"
        case .lengthBeyondInput: "a length is larger than the bytes that remain; the input may have been cut off"
        case .tooDeep: "arrays and maps are nested deeper than CBORLimits.maximumDepth allows"
        case .tooManyItems: "there are more items than CBORLimits.maximumItems allows"
        case .tooManyBytes: "the input is longer than CBORLimits.maximumBytes allows"
        case .notATextKeyedMap: "a map with text keys is expected"
        case .unexpectedJSONCharacter: "this character is not allowed here in JSON"
        case .invalidJSONEscape: "this escape sequence is not allowed in JSON"
        case .invalidJSONNumber: "this is not a JSON number, or it is too large"
        }
    }
}
