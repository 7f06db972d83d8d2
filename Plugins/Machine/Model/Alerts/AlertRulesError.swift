/// An invalid setting of ``AlertRules``.
public struct AlertRulesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The setting, such as `cpu.warning`.
    public let key: String
    /// The allowed values, as human-readable text.
    public let allowed: String

    /// The key and what is allowed.
    public var description: String { "The alert rule '\(key)' has to be \(allowed)." }
}
