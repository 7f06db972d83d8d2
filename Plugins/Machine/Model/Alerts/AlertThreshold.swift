/// From which value on a figure is a warning, and from which on it is critical. At least one is given.
public struct AlertThreshold: Codable, Hashable, Sendable {
    /// From this value on it is a warning; nil for none.
    public let warning: Double?
    /// From this value on it is critical; nil for never.
    public let critical: Double?

    /// The ranges are checked by the ``AlertRules`` that it becomes part of.
    ///
    /// - Parameters:
    ///   - warning: From this value on it is a warning.
    ///   - critical: From this value on it is critical.
    public init(warning: Double? = nil, critical: Double? = nil) {
        self.warning = warning
        self.critical = critical
    }

    func value(of level: AlertLevel) -> Double? {
        switch level {
        case .warning: warning
        case .critical: critical
        }
    }

    /// Decodes `{"warning": 0.8, "critical": 0.9}`.
    ///
    /// - Throws: ``AlertRulesError`` for a key that isn't known or what isn't a number.
    public init(from decoder: any Decoder) throws {
        let fields = try ConfigurationFields(decoder, known: ["warning", "critical"])
        self.init(warning: try fields.number("warning"), critical: try fields.number("critical"))
    }
}
