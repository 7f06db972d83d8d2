/// Why a screen does not perform an action: it does not offer it, or what was entered cannot be taken.
public enum ScreenActionError: Error, Codable, Hashable, Sendable, CustomStringConvertible {
    /// The content has no such action.
    case unknownAction(String, available: [String])
    /// The content has the action, but it is disabled. The reason is that which the screen states; empty for none.
    case disabledAction(String, reason: String = "", available: [String])
    /// Fields cannot take what was entered into them: a sentence for each, with the field's label and what it takes.
    case wrongEntries([String])

    public var description: String {
        switch self {
        case .unknownAction(let name, let available):
            return "there is no action '\(name)' here; \(Self.list(available))"
        case .disabledAction(let name, "", let available):
            return "the action '\(name)' is not available now; \(Self.list(available))"
        case .disabledAction(let name, let reason, let available):
            return "the action '\(name)' is not available: \(reason); \(Self.list(available))"
        case .wrongEntries(let sentences):
            return sentences.joined(separator: "; ")
        }
    }

    /// The same error with the reason why the action is disabled.
    package func saying(_ reason: String) -> ScreenActionError {
        guard case .disabledAction(let name, _, let available) = self else { return self }
        return .disabledAction(name, reason: reason, available: available)
    }

    private static func list(_ available: [String]) -> String {
        available.isEmpty ? "nothing can be done here" : "there is: \(available.joined(separator: ", "))"
    }
}
