/// The values from which a figure raises a warning and a critical alert. At least one is set.
public struct AlertThreshold: Codable, Hashable, Sendable {
    /// The lowest value that raises a warning; nil for no warning.
    public let warning: Double?
    /// The lowest value that raises a critical alert; nil for no critical alert.
    public let critical: Double?

    /// Creates a threshold. The initializer of ``AlertRules`` checks the ranges.
    ///
    /// - Parameters:
    ///   - warning: The lowest value that raises a warning.
    ///   - critical: The lowest value that raises a critical alert.
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
    /// - Throws: ``AlertRulesError`` for an unknown key or a value that isn't a number.
    public init(from decoder: any Decoder) throws {
        let fields = try ConfigurationFields(decoder, known: ["warning", "critical"])
        self.init(warning: try fields.number("warning"), critical: try fields.number("critical"))
    }
}
