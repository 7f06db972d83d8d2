import Messaging

extension MeterBlock {
    /// The meter as a line, such as `Memory: 41.0 %, 3.1 GiB of 8.0 GiB`.
    public var text: String {
        "\(label): \(figures.joined(separator: ", "))\(isBeyondMark ? "  (!)" : "")"
    }

    /// The share and the detail, if there is one. The first one is the large one where there is room for one.
    package var figures: [String] {
        let share = Quantity.percent(share).text
        guard !detail.isEmpty else { return [share] }
        return shows == .value ? [detail, share] : [share, detail]
    }

    /// The characters of the bar.
    private static let bar = 10

    func lines(_ form: TextForm) -> [TextLine] {
        let full = share.map { Int(($0 * Double(Self.bar)).rounded()) } ?? 0
        let bar = String(repeating: "#", count: full) + String(repeating: "-", count: Self.bar - full)
        return TextLine.lines(
            "\(label) [\(bar)] \(figures.joined(separator: ", "))\(isBeyondMark ? "  (!)" : "")", width: form.width,
            indent: 2,
            isBeyondMark ? .warning : .plain)
    }
}

extension ImageBlock {
    func lines(_ form: TextForm) -> [TextLine] { TextLine.lines(alternative, width: form.width) }
}

extension ChartBlock {
    /// The chart as lines, one for each series: its course in few characters, and its last, lowest and highest value.
    public var text: String { ([label] + series.map { text(of: $0, width: Self.width) }).joined(separator: "\n") }

    func lines(_ form: TextForm) -> [TextLine] {
        let width = max(1, min(Self.width, form.width / 2))
        let lines = series.flatMap { TextLine.lines("  " + text(of: $0, width: width), width: form.width, indent: 4) }
        return TextLine.lines(label, width: form.width) + lines
    }

    private func text(of series: Series, width: Int) -> String {
        let values = series.points.map(\.y)
        guard let last = values.last, let lowest = values.min(), let highest = values.max() else {
            return "\(series.label): no values"
        }
        func text(_ value: Double) -> String { Quantity(value, kind).text }
        let course = Self.course(of: values, width: width)
        return "\(series.label): \(course)  \(text(last))  (\(text(lowest)) to \(text(highest)))"
    }

    private static let steps: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    /// The most characters of a course.
    private static let width = 40

    /// Draws values, one character for each; of several values that share a character, the last one.
    private static func course(of values: [Double], width: Int) -> String {
        guard let lowest = values.min(), let highest = values.max() else { return "" }
        let count = min(width, values.count)
        // Halved, because the difference of two finite numbers may be infinite.
        let range = highest / 2 - lowest / 2
        return String(
            (0..<count).map { column in
                let value = values[(column + 1) * values.count / count - 1]
                let share = range > 0 ? (value / 2 - lowest / 2) / range : 0
                return steps[max(0, min(steps.count - 1, Int(share * Double(steps.count))))]
            })
    }
}
