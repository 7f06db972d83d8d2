/// A figure that has been over its threshold for a while.
public struct Alert: Codable, Hashable, Sendable, Identifiable {
    /// What it is about: `cpu`, `memory`, `load` or `disk:` with a mount point. The same trouble has the same id again.
    public let id: String
    /// How bad it is.
    public internal(set) var level: AlertLevel
    /// What it is about, for people.
    public internal(set) var title: String
    /// The figure and the threshold, for people, as of the last sample.
    public internal(set) var detail: String
    /// The figure of the last sample: a fraction, or the load per core.
    public internal(set) var value: Double
    /// The threshold of the level.
    public internal(set) var threshold: Double
    /// When it was raised, in seconds since 1970 (UTC).
    public let raisedAt: Double
    /// Who has taken note of it; nil while it is open.
    public internal(set) var acknowledgedBy: String?
    /// When that was, in seconds since 1970 (UTC).
    public internal(set) var acknowledgedAt: Double?

    /// - Parameters:
    ///   - id: What it is about.
    ///   - level: How bad it is.
    ///   - title: What it is about, for people.
    ///   - detail: The figure and the threshold, for people.
    ///   - value: The figure.
    ///   - threshold: The threshold of the level.
    ///   - raisedAt: When it was raised, in seconds since 1970.
    ///   - acknowledgedBy: Who has taken note of it.
    ///   - acknowledgedAt: When that was, in seconds since 1970.
    public init(
        id: String, level: AlertLevel, title: String, detail: String, value: Double, threshold: Double,
        raisedAt: Double, acknowledgedBy: String? = nil, acknowledgedAt: Double? = nil
    ) {
        self.id = id
        self.level = level
        self.title = title
        self.detail = detail
        self.value = value
        self.threshold = threshold
        self.raisedAt = raisedAt
        self.acknowledgedBy = acknowledgedBy
        self.acknowledgedAt = acknowledgedAt
    }
}
