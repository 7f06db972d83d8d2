/// How many threads ran or waited for a processor or a disk, on average.
public struct LoadAverage: Codable, Hashable, Sendable {
    /// The average of the last minute.
    public let oneMinute: Double
    /// The average of the last five minutes.
    public let fiveMinutes: Double
    /// The average of the last fifteen minutes.
    public let fifteenMinutes: Double
    /// How many threads could run at the moment of the sample.
    public let runningThreads: Int
    /// How many threads there were.
    public let totalThreads: Int

    /// - Parameters:
    ///   - oneMinute: The average of the last minute.
    ///   - fiveMinutes: The average of the last five minutes.
    ///   - fifteenMinutes: The average of the last fifteen minutes.
    ///   - runningThreads: How many threads could run.
    ///   - totalThreads: How many threads there were.
    public init(
        oneMinute: Double, fiveMinutes: Double, fifteenMinutes: Double, runningThreads: Int, totalThreads: Int
    ) {
        self.oneMinute = oneMinute
        self.fiveMinutes = fiveMinutes
        self.fifteenMinutes = fifteenMinutes
        self.runningThreads = runningThreads
        self.totalThreads = totalThreads
    }
}
