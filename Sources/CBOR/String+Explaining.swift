extension String {
    /// Makes the text of an error for people. For a `DecodingError` it is a sentence that names the field and what was
    /// expected there, without names of Swift types.
    package init(explaining error: any Error) {
        guard let error = error as? DecodingError else {
            self = String(describing: error)
            return
        }
        switch error {
        case .keyNotFound(let key, let context):
            self = "\(Self.place(context.codingPath + [key])) is missing"
        case .typeMismatch(let type, let context):
            self = "\(Self.place(context.codingPath)) is not \(Self.kind(of: type))"
        case .valueNotFound(let type, let context):
            self = "\(Self.place(context.codingPath)) is null where \(Self.kind(of: type)) is needed"
        case .dataCorrupted(let context):
            self = "\(Self.place(context.codingPath)) is wrong: \(Self.reason(context.debugDescription))"
        @unknown default:
            self = "it cannot be read"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "the value" }
        let steps = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
        return "the field '\(steps.joined(separator: "."))'"
    }

    static func kind(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type: "a number"
        case is [UInt8].Type, is CBORBytes.Type: "bytes"
        case is [String: Any].Type: "an object"
        case is [Any].Type: "a list"
        default: "a valid \(type)"
        }
    }

    /// Rewrites the standard library's message for an enum: "Cannot initialize Role from invalid String value boss".
    private static func reason(_ description: String) -> String {
        guard description.hasPrefix("Cannot initialize "), let range = description.firstRange(of: " value ") else {
            return description.last == "." ? String(description.dropLast()) : description
        }
        return "'\(description[range.upperBound...])' is none of its values"
    }
}
