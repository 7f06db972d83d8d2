/// The values from which a figure raises a warning and an error. At least one is set.
public struct AlertThreshold: Codable, Hashable, Sendable {
    /// The lowest value that raises a warning; nil for no warning.
    public let warning: Double?
    /// The lowest value that raises an error; nil for none.
    public let error: Double?

    /// Creates a threshold. The initializer of ``AlertRules`` checks the ranges.
    ///
    /// - Parameters:
    ///   - warning: The lowest value that raises a warning.
    ///   - error: The lowest value that raises an error.
    public init(warning: Double? = nil, error: Double? = nil) {
        self.warning = warning
        self.error = error
    }

    func value(of level: AlertLevel) -> Double? {
        switch level {
        case .warning: warning
        case .error: error
        }
    }

    /// Decodes `{"warning": 0.8, "error": 0.9}`.
    ///
    /// - Throws: ``AlertRulesError`` for an unknown key or a value that isn't a number.
    public init(from decoder: any Decoder) throws {
        let fields = try ConfigurationFields(decoder, known: ["warning", "error"])
        self.init(warning: try fields.number("warning"), error: try fields.number("error"))
    }
}
