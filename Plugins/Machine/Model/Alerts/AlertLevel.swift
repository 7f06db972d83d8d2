/// How bad it is.
public enum AlertLevel: String, Codable, Hashable, Sendable, CaseIterable {
    /// Somebody should look at it.
    case warning
    /// Somebody has to do something now.
    case critical
}
