/// A share of a whole, with marks from which on it is too low or too high.
public struct MeterBlock: TypedBlock {
    /// Which of a meter's figures is the large one.
    public enum Figure: String, Sendable, CaseIterable {
        /// The share, such as `33.3 %`.
        case percentage
        /// The detail, such as `1 of 3`. Without a detail it is the share.
        case value
    }

    public static let type = "meter"
    public var label: String
    /// The share, from 0 to 1; `nil` if it is not known.
    public var share: Double?
    /// Below it the share is too low.
    public var low: Double?
    /// Above it the share is too high.
    public var high: Double?
    /// What is written beside it, such as `3.1 GiB of 8.0 GiB`; empty for the share alone.
    public var detail: String
    /// Which figure is the large one.
    public var shows: Figure

    public init(
        _ label: String, share: Double?, low: Double? = nil, high: Double? = nil, detail: String = "",
        shows: Figure = .percentage
    ) {
        self.label = label
        self.share = share.flatMap { $0.isFinite ? max(0, min(1, $0)) : nil }
        self.low = low.flatMap { $0.isFinite ? $0 : nil }
        self.high = high.flatMap { $0.isFinite ? $0 : nil }
        self.detail = detail
        self.shows = shows
    }

    public init?(_ node: ContentNode) {
        guard let label = node["label"]?.text else { return nil }
        self.init(
            label, share: node["share"]?.number, low: node["low"]?.number, high: node["high"]?.number,
            detail: node["detail"]?.text ?? "",
            shows: node["shows"]?.text.flatMap(Figure.init(rawValue:)) ?? .percentage)
    }

    public var fields: [String: ContentNode] {
        .init(present: [
            "label": .text(label), "share": share.map { .number($0) }, "low": low.map { .number($0) },
            "high": high.map { .number($0) }, "detail": .text(detail),
            "shows": shows == .percentage ? nil : .text(shows.rawValue),
        ])
    }

    /// Whether the share is beyond one of its marks.
    public var isBeyondMark: Bool {
        guard let share else { return false }
        return high.map { share > $0 } ?? false || low.map { share < $0 } ?? false
    }
}

/// Values over time or over another quantity, as lines.
public struct ChartBlock: TypedBlock {
    public static let type = "chart"

    public struct Point: Hashable, Sendable {
        public var x: Double
        public var y: Double

        public init(_ x: Double, _ y: Double) {
            self.x = x
            self.y = y
        }
    }

    public struct Series: Hashable, Sendable {
        /// Distinguishes the series from others of the chart.
        public var key: String
        public var label: String
        /// The points from left to right.
        public var points: [Point]

        public init(key: String, label: String, points: [Point]) {
            self.key = key
            self.label = label
            self.points = points
        }
    }

    public var label: String
    /// What `y` counts.
    public var kind: Quantity.Kind
    /// What `x` counts.
    public var over: Quantity.Kind
    public var series: [Series]

    public init(_ label: String, kind: Quantity.Kind = .number, over: Quantity.Kind = .time, series: [Series]) {
        self.label = label
        self.kind = kind
        self.over = over
        self.series = series
    }

    public init?(_ node: ContentNode) {
        guard let label = node["label"]?.text, case .map? = node["series"] else { return nil }
        self.label = label
        kind = node["kind"]?.text.flatMap(Quantity.Kind.init(rawValue:)) ?? .number
        over = node["over"]?.text.flatMap(Quantity.Kind.init(rawValue:)) ?? .time
        series = Keyed.ordered(node["series"], by: node["order"], limit: ContentBounds.series).map { key, series in
            let points = (series["points"]?.list ?? []).suffix(ContentBounds.points).compactMap { point -> Point? in
                guard case .list(let pair) = point, pair.count == 2, let x = pair[0].number, let y = pair[1].number
                else {
                    return nil
                }
                return Point(x, y)
            }
            return Series(key: key, label: series["label"]?.text ?? key, points: points)
        }
    }

    public var fields: [String: ContentNode] {
        let series = self.series.map { series in
            let points = series.points.filter { $0.x.isFinite && $0.y.isFinite }
            let fields: [String: ContentNode] = [
                "label": .text(series.label), "points": .list(points.map { .list([.number($0.x), .number($0.y)]) }),
            ]
            return (series.key, ContentNode.map(fields))
        }
        return .init(present: [
            "label": .text(label), "kind": kind == .number ? nil : .text(kind.rawValue),
            "over": over == .time ? nil : .text(over.rawValue),
            "series": .map(Dictionary(series) { $1 }), "order": .list(self.series.map { .text($0.key) }),
        ])
    }
}
