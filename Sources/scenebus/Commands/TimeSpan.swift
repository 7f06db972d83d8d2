import Foundation
import OperatorKit

/// A span of time as a person writes it, such as `45m`, `12h` or `30d`.
struct TimeSpan {
    let seconds: Double

    /// - Returns: `nil` for another text, and for a span of no time or of more than a hundred years.
    init?(_ text: String) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let last = text.last, let unit = units[last], let count = Int(text.dropLast()),
            (1...36_500).contains(count)
        else { return nil }
        seconds = Double(count * unit)
    }

    /// On which side of now a span lies.
    enum Side { case before, after }

    /// Reads a time such as `2027-01-31T18:00:00Z`, or a span before or after another time.
    /// - Throws: ``CommandError`` for another text.
    static func time(_ text: String, _ side: Side, _ now: Date) throws -> Date {
        if let span = TimeSpan(text) { return now.addingTimeInterval(side == .before ? -span.seconds : span.seconds) }
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw CommandError(
                .usage, "'\(text)' is neither a time such as 2027-01-31T18:00:00Z nor a span such as 12h")
        }
        return date
    }
}
