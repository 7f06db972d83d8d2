/// The severity of an alert.
public enum AlertLevel: String, Codable, Hashable, Sendable, CaseIterable {
    /// A user should look into it.
    case warning
    /// A user must act now.
    case error
}
