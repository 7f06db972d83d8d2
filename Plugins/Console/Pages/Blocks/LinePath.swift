import SceneContent

/// The course of a series as lines in a drawing: at most four values for each of its columns, whatever the series has.
struct LinePath {
    /// The commands of a path.
    let text: String

    static let columns = 400
    /// The size of the drawing.
    static let (width, height) = (4000, 1000)

    init(_ points: [ChartBlock.Point], x across: PlotRange, y upward: PlotRange) {
        var columns = [Column?](repeating: nil, count: Self.columns)
        for point in points where point.x.isFinite && point.y.isFinite {
            let index = min(Self.columns - 1, Int(across.share(of: point.x) * Double(Self.columns)))
            columns[index] = columns[index]?.adding(point.y) ?? Column(point.y)
        }
        var text = ""
        for (index, column) in columns.enumerated() {
            let x = index * Self.width / (Self.columns - 1)
            for value in column?.values ?? [] {
                let y = Int(((1 - upward.share(of: value)) * Double(Self.height)).rounded())
                text += "\(text.isEmpty ? "M" : "L")\(x) \(y)"
            }
        }
        // A line without a length is drawn as a point.
        if !text.isEmpty, !text.contains("L") { text += "h0" }
        self.text = text
    }

    /// The values of a column: the first and the last one, and the lowest and the highest one between them.
    private struct Column {
        let first: Double
        var lowest, highest, last: Double
        /// Whether the lowest value came before the highest.
        var isRising = true

        init(_ value: Double) { (first, lowest, highest, last) = (value, value, value, value) }

        func adding(_ value: Double) -> Column {
            var column = self
            if value < lowest { (column.lowest, column.isRising) = (value, false) }
            if value > highest { (column.highest, column.isRising) = (value, true) }
            column.last = value
            return column
        }

        var values: [Double] {
            let between = isRising ? [lowest, highest] : [highest, lowest]
            return ([first] + between + [last]).reduce(into: []) { values, value in
                if values.last != value { values.append(value) }
            }
        }
    }
}

/// The range of values that a drawing shows.
struct PlotRange {
    let lowest, highest: Double

    /// - Returns: `nil` if there are no values.
    init?(_ values: some Sequence<Double>) {
        var range: (Double, Double)?
        for value in values where value.isFinite {
            range = range.map { (min($0.0, value), max($0.1, value)) } ?? (value, value)
        }
        guard let range else { return nil }
        (lowest, highest) = range
    }

    /// Where a value is, from 0 at the lowest to 1 at the highest. If they are equal, it is in the middle.
    func share(of value: Double) -> Double {
        // Halved, because the difference of two finite numbers may be infinite.
        let size = highest / 2 - lowest / 2
        return size > 0 ? max(0, min(1, (value / 2 - lowest / 2) / size)) : 0.5
    }
}
