/// The average number of threads that ran or waited for a processor or a disk.
public struct LoadAverage: Codable, Hashable, Sendable {
    /// The average of the last minute.
    public let oneMinute: Double
    /// The average of the last five minutes.
    public let fiveMinutes: Double
    /// The average of the last fifteen minutes.
    public let fifteenMinutes: Double
    /// The number of runnable threads at the time of the sample.
    public let runningThreads: Int
    /// The number of threads.
    public let totalThreads: Int

    /// - Parameters:
    ///   - oneMinute: The average of the last minute.
    ///   - fiveMinutes: The average of the last five minutes.
    ///   - fifteenMinutes: The average of the last fifteen minutes.
    ///   - runningThreads: The number of runnable threads.
    ///   - totalThreads: The number of threads.
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
