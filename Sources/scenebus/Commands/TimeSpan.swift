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
}
