/// One of the many entries of the container that `scenebus bench scale` changes and counts.
package struct ScaleEntry: Codable, Hashable, Sendable {
    /// Which change of the run set it; 0 before the first.
    package var round: Int
    /// When that was, in nanoseconds on the machine's monotonic clock.
    package var time: UInt64

    package init(round: Int, time: UInt64) {
        self.round = round
        self.time = time
    }

    private static let prefix = "entry"
    private static let digits = 6

    /// The key of the entry of a number. All are of one length, so that a change of each has as many bytes.
    package static func key(_ number: Int) -> String {
        let text = String(number)
        return prefix + String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The number of an entry; `nil` for the key of another.
    package static func number(of key: String) -> Int? {
        guard key.hasPrefix(prefix) else { return nil }
        return Int(key.dropFirst(prefix.utf8.count))
    }
}
