/// One of the many entries of the container that `scenebus bench scale` changes and counts.
package struct ScaleEntry: Codable, Hashable, Sendable {
    /// The number of the change that set it; 0 before the first change.
    package var round: Int
    /// The time of that change, in nanoseconds on the machine's monotonic clock.
    package var time: UInt64

    package init(round: Int, time: UInt64) {
        self.round = round
        self.time = time
    }

    private static let prefix = "entry"
    private static let digits = 6

    /// The key of the entry with a number. All keys have the same length, so that all changes have the same size.
    package static func key(_ number: Int) -> String {
        let text = String(number)
        return prefix + String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The number of an entry; `nil` for any other key.
    package static func number(of key: String) -> Int? {
        // A worker counts ten thousand keys, so this must not cost more than their reading.
        var key = key
        return key.withUTF8 { bytes in
            guard bytes.count > 5, bytes[0] == UInt8(ascii: "e"), bytes[4] == UInt8(ascii: "y") else { return nil }
            var number = 0
            for digit in bytes[5...] {
                guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9"), number < 1_000_000 else { return nil }
                number = number &* 10 &+ Int(digit &- UInt8(ascii: "0"))
            }
            return number
        }
    }
}
