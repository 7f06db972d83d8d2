extension DecodingLocation {
    /// Makes an error for an item that is not of the kind that a type needs.
    func mismatch(_ type: Any.Type, _ head: CBORHead, at offset: Int, _ step: PathStep?) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: path(adding: step),
            debugDescription:
                "Expected \(Self.name(of: type)) for \(place(step)), found \(head.kind) (at byte \(offset)).")
        return head.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    /// Makes an error for an integer that does not fit, or for an item that is not an integer.
    func notAnInteger(_ type: Any.Type, _ head: CBORHead, at offset: Int, _ step: PathStep?) -> DecodingError {
        switch head.majorType {
        case .unsigned:
            return doesNotFit("\(head.argument)", in: type, at: offset, step)
        case .negative:
            // The number is -1 - argument. Its magnitude may be one larger than 64 bits can hold.
            let magnitude = head.argument.addingReportingOverflow(1)
            let number = magnitude.overflow ? "-18446744073709551616" : "-\(magnitude.partialValue)"
            return doesNotFit(number, in: type, at: offset, step)
        default:
            return mismatch(type, head, at: offset, step)
        }
    }

    /// Makes an error for a number that the type cannot represent.
    func doesNotFit(_ number: String, in type: Any.Type, at offset: Int, _ step: PathStep?) -> DecodingError {
        let number = state.isSecret(at: offset) ? "The secret" : number
        return .dataCorrupted(
            DecodingError.Context(
                codingPath: path(adding: step),
                debugDescription: "\(number) does not fit in \(type) for \(place(step)) (at byte \(offset))."))
    }

    /// Makes an error for a field that is missing from a map.
    func missing(_ key: some CodingKey) -> DecodingError {
        .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "No value for the key '\(key.stringValue)' in \(place(nil))."))
    }

    /// Makes an error for an array that has no more elements.
    func pastEnd(_ type: Any.Type, _ step: PathStep) -> DecodingError {
        .valueNotFound(
            type,
            DecodingError.Context(
                codingPath: path(adding: step),
                debugDescription: "Expected \(Self.name(of: type)) for \(place(step)), found the array's end."))
    }

    /// Makes an error for a key that a dictionary would drop or change.
    func wrongKey(_ reason: String, at offset: Int, _ step: PathStep?) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: path(adding: step),
                debugDescription: "Expected \(reason) in the map \(place(step)) (at byte \(offset))."))
    }

    private func place(_ step: PathStep?) -> String {
        let path = path(adding: step)
        guard !path.isEmpty else { return "the outermost item" }
        return "'" + path.map(\.stringValue).joined(separator: ".") + "'"
    }

    private static func name(of type: Any.Type) -> String {
        switch type {
        case is [String: Any].Type: "a map"
        case is [Any].Type: "an array"
        default: "\(type)"
        }
    }
}

extension CBORHead {
    /// The name of this kind of item in an error message.
    var kind: String {
        switch majorType {
        case .unsigned, .negative: "an integer"
        case .bytes: "a byte string"
        case .text: "a text string"
        case .array: "an array"
        case .map: "a map"
        case .tag: "a tag"
        case .simple:
            switch information {
            case 20, 21: "a boolean"
            case 22: "null"
            case 23: "undefined"
            case 25, 26, 27: "a floating-point number"
            default: "simple(\(argument))"
            }
        }
    }
}
