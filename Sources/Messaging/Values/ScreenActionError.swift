/// An action that cannot be performed on what is shown, and what can be done instead.
public enum ScreenActionError: Error, Codable, Hashable, Sendable, CustomStringConvertible {
    /// What is shown has no such action.
    case unknownAction(String, available: [String])
    /// What is shown has the action, but not now.
    case disabledAction(String, available: [String])

    public var description: String {
        switch self {
        case .unknownAction(let name, let available):
            return "there is no action '\(name)' here; \(Self.list(available))"
        case .disabledAction(let name, let available):
            return "the action '\(name)' is not available now; \(Self.list(available))"
        }
    }

    private static func list(_ available: [String]) -> String {
        available.isEmpty ? "nothing can be done here" : "there is: \(available.joined(separator: ", "))"
    }
}
