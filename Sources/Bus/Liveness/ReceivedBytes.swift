/// Counts the bytes that one side has received over the bus on a link, and decides when to report them.
package struct ReceivedBytes: Hashable, Sendable {
    /// The size of all frames so far, in bytes.
    package private(set) var count: UInt64 = 0
    private var told: UInt64 = 0

    package init() {}

    /// Counts a received frame.
    /// - Returns: whether to report to the other side now, because a quarter of its window has arrived since the last
    ///   report.
    package mutating func received(_ bytes: Int) -> Bool {
        count += UInt64(bytes)
        return count - told >= SendWindow.standard / 4
    }

    /// Returns the count to report, and notes that it has been reported.
    package mutating func tell() -> UInt64 {
        told = count
        return count
    }
}
