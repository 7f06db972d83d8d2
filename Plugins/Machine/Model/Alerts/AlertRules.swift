/// Which figures raise alerts, and when: the configuration of an ``AlertEngine``. All values are checked.
///
/// As configuration, with every key optional:
///
///     {"cpu": {"warning": 0.9, "critical": 0.98}, "memory": {"warning": 0.9}, "disk": {"critical": 0.95},
///      "loadPerCore": {"warning": 2}, "holdSeconds": 60, "clearFraction": 0.9}
public struct AlertRules: Codable, Hashable, Sendable {
    /// For the busy fraction of all cores, 0...1; nil for no alert.
    public let cpu: AlertThreshold?
    /// For the used fraction of the memory, 0...1; nil for no alert.
    public let memory: AlertThreshold?
    /// For the load average of one minute by the number of cores; nil for no alert.
    public let loadPerCore: AlertThreshold?
    /// For the used fraction of each disk, 0...1; nil for no alert.
    public let disk: AlertThreshold?
    /// For how many seconds a figure has to stay at its threshold or above before the alert is raised.
    public let holdSeconds: Double
    /// An alert clears when the figure falls below this part of its threshold, so that a figure that wavers around
    /// the threshold doesn't raise it again and again. 1 is exactly at the threshold.
    public let clearFraction: Double

    /// `holdSeconds` where it isn't given.
    public static let defaultHoldSeconds: Double = 30
    /// `clearFraction` where it isn't given.
    public static let defaultClearFraction: Double = 0.9

    private static let fractions = (maximum: 1.0, text: "a fraction more than 0 and at most 1")
    private static let loads = (maximum: 1000.0, text: "a number more than 0 and at most 1000")

    /// - Parameters:
    ///   - cpu: For the busy fraction of all cores. More than 0, at most 1.
    ///   - memory: For the used fraction of the memory. More than 0, at most 1.
    ///   - loadPerCore: For the load by the number of cores. More than 0, at most 1,000.
    ///   - disk: For the used fraction of each disk. More than 0, at most 1.
    ///   - holdSeconds: 0 to 86,400 (a day).
    ///   - clearFraction: More than 0, at most 1.
    /// - Throws: ``AlertRulesError`` for the first value out of its range, a threshold without a level, and a warning
    ///   that isn't below critical.
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
    /// - Throws: ``AlertRulesError``, also for a key that isn't known.
    public init(from decoder: any Decoder) throws {
        let known = ["cpu", "memory", "loadPerCore", "disk", "holdSeconds", "clearFraction"]
        let fields = try ConfigurationFields(decoder, known: known)
        try self.init(
            cpu: fields.value("cpu", as: AlertThreshold.self), memory: fields.value("memory", as: AlertThreshold.self),
            loadPerCore: fields.value("loadPerCore", as: AlertThreshold.self), disk: fields.value("disk", as: AlertThreshold.self),
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
        switch (threshold.warning, threshold.critical) {
        case (nil, nil):
            throw AlertRulesError(key: key, allowed: "left out, or have a 'warning' or a 'critical' level")
        case (let warning?, let critical?) where warning >= critical:
            throw AlertRulesError(key: "\(key).warning", allowed: "below \(key).critical, \(range.text)")
        default:
            break
        }
    }
}
