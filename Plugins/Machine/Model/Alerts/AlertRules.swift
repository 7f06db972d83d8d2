/// The configuration of an ``AlertEngine``: which figures raise alerts, and at which thresholds. All values are
/// checked.
///
/// The format, in which every key is optional:
///
///     {"cpu": {"warning": 0.9, "error": 0.98}, "memory": {"warning": 0.9}, "disk": {"error": 0.95},
///      "loadPerCore": {"warning": 2}, "holdSeconds": 60, "clearFraction": 0.9}
public struct AlertRules: Codable, Hashable, Sendable {
    /// The threshold for the busy fraction of all cores, 0...1; nil for no alert.
    public let cpu: AlertThreshold?
    /// The threshold for the used fraction of the memory, 0...1; nil for no alert.
    public let memory: AlertThreshold?
    /// The threshold for the one-minute load average divided by the number of cores; nil for no alert.
    public let loadPerCore: AlertThreshold?
    /// The threshold for the used fraction of each disk, 0...1; nil for no alert.
    public let disk: AlertThreshold?
    /// How many seconds a figure must stay at its threshold or above before the alert is raised.
    public let holdSeconds: Double
    /// The fraction of its threshold below which a figure clears the alert. A value below 1 keeps a figure that varies
    /// around the threshold from raising the alert repeatedly.
    public let clearFraction: Double

    /// The default of `holdSeconds`.
    public static let defaultHoldSeconds: Double = 30
    /// The default of `clearFraction`.
    public static let defaultClearFraction: Double = 0.9

    private static let fractions = (maximum: 1.0, text: "a fraction more than 0 and at most 1")
    private static let loads = (maximum: 1000.0, text: "a number more than 0 and at most 1000")

    /// - Parameters:
    ///   - cpu: The threshold for the busy fraction of all cores. More than 0, at most 1.
    ///   - memory: The threshold for the used fraction of the memory. More than 0, at most 1.
    ///   - loadPerCore: The threshold for the load divided by the number of cores. More than 0, at most 1,000.
    ///   - disk: The threshold for the used fraction of each disk. More than 0, at most 1.
    ///   - holdSeconds: 0 to 86,400 (a day).
    ///   - clearFraction: More than 0, at most 1.
    /// - Throws: ``AlertRulesError`` for a value out of range, a threshold without a level, or a warning level that
    ///   isn't below the one of an error.
    public init(
        cpu: AlertThreshold? = nil, memory: AlertThreshold? = nil, loadPerCore: AlertThreshold? = nil,
        disk: AlertThreshold? = nil, holdSeconds: Double = defaultHoldSeconds,
        clearFraction: Double = defaultClearFraction
    ) throws(AlertRulesError) {
        try Self.check(cpu, "cpu", Self.fractions)
        try Self.check(memory, "memory", Self.fractions)
        try Self.check(loadPerCore, "loadPerCore", Self.loads)
        try Self.check(disk, "disk", Self.fractions)
        guard (0...86_400).contains(holdSeconds) else {
            throw AlertRulesError(key: "holdSeconds", allowed: "a number of seconds from 0 to 86400")
        }
        guard clearFraction > 0, clearFraction <= 1 else {
            throw AlertRulesError(key: "clearFraction", allowed: Self.fractions.text)
        }
        self.cpu = cpu
        self.memory = memory
        self.loadPerCore = loadPerCore
        self.disk = disk
        self.holdSeconds = holdSeconds
        self.clearFraction = clearFraction
    }

    /// Decodes and checks a configuration.
    ///
    /// - Throws: ``AlertRulesError`` for an invalid value or an unknown key.
    public init(from decoder: any Decoder) throws {
        let known = ["cpu", "memory", "loadPerCore", "disk", "holdSeconds", "clearFraction"]
        let fields = try ConfigurationFields(decoder, known: known)
        try self.init(
            cpu: fields.value("cpu", as: AlertThreshold.self), memory: fields.value("memory", as: AlertThreshold.self),
            loadPerCore: fields.value("loadPerCore", as: AlertThreshold.self),
            disk: fields.value("disk", as: AlertThreshold.self),
            holdSeconds: fields.number("holdSeconds") ?? Self.defaultHoldSeconds,
            clearFraction: fields.number("clearFraction") ?? Self.defaultClearFraction)
    }

    private static func check(
        _ threshold: AlertThreshold?, _ key: String, _ range: (maximum: Double, text: String)
    ) throws(AlertRulesError) {
        guard let threshold else { return }
        for level in AlertLevel.allCases {
            guard let value = threshold.value(of: level) else { continue }
            guard value > 0, value <= range.maximum else {
                throw AlertRulesError(key: "\(key).\(level.rawValue)", allowed: range.text)
            }
        }
        switch (threshold.warning, threshold.error) {
        case (nil, nil):
            throw AlertRulesError(key: key, allowed: "left out, or have a 'warning' or an 'error' level")
        case (let warning?, let error?) where warning >= error:
            throw AlertRulesError(key: "\(key).warning", allowed: "below \(key).error, \(range.text)")
        default:
            break
        }
    }
}
