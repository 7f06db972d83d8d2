/// A figure that has been over its threshold for a while.
public struct Alert: Codable, Hashable, Sendable, Identifiable {
    /// The watched figure: `cpu`, `memory`, `load`, or `disk:` with a mount point. A later alert for the same figure
    /// has the same id.
    public let id: String
    /// The severity.
    public internal(set) var level: AlertLevel
    /// A title for people.
    public internal(set) var title: String
    /// The figure and the threshold, for people, as of the last sample.
    public internal(set) var detail: String
    /// The figure of the last sample: a fraction, or the load per core.
    public internal(set) var value: Double
    /// The threshold of the level.
    public internal(set) var threshold: Double
    /// When it was raised, in seconds since 1970 (UTC).
    public let raisedAt: Double
    /// The user who has acknowledged it; nil while it is open.
    public internal(set) var acknowledgedBy: String?
    /// When it was acknowledged, in seconds since 1970 (UTC).
    public internal(set) var acknowledgedAt: Double?

    /// - Parameters:
    ///   - id: The watched figure.
    ///   - level: The severity.
    ///   - title: A title for people.
    ///   - detail: The figure and the threshold, for people.
    ///   - value: The figure.
    ///   - threshold: The threshold of the level.
    ///   - raisedAt: When it was raised, in seconds since 1970.
    ///   - acknowledgedBy: The user who has acknowledged it.
    ///   - acknowledgedAt: When it was acknowledged, in seconds since 1970.
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
