import SceneContent

extension HTMLWriter {
    mutating func meter(_ meter: MeterBlock, key: PageKey) {
        let figures = meter.figures
        element(
            .div, .class("block meter"), .key(key), meter.isBeyondMark ? .level("warning") : nil
        ) { writer in
            writer.element(.div, .class("line")) { writer in
                writer.element(.span, .class("title"), .automaticDirection, text: meter.label)
                writer.element(.span, .class("quantity"), .automaticDirection, text: figures[0])
            }
            writer.element(
                .div, meter.share == nil ? .role(.img) : .role(.meter), .label(meter.label), .percentMinimum,
                .percentMaximum, meter.share.map { .percentNow(Int(($0 * 100).rounded())) },
                .valueText(meter.share == nil ? "not known" : figures[0])
            ) { writer in
                writer.bar(meter)
            }
            let notes = figures.dropFirst() + meter.legend
            if meter.isBeyondMark || !notes.isEmpty {
                writer.element(.small, .class("hint")) { writer in
                    if meter.isBeyondMark {
                        let isLow = meter.low.map { (meter.share ?? 1) < $0 } ?? false
                        writer.element(.strong, text: isLow ? "Low" : "High")
                    }
                    for (number, note) in notes.enumerated() {
                        if number > 0 || meter.isBeyondMark { writer.text(" · ") }
                        writer.isolated(note)
                    }
                }
            }
        }
    }

    /// Draws a meter's bar, with its marks.
    private mutating func bar(_ meter: MeterBlock) {
        element(
            .svg, .class("gauge"), .viewBox(width: 1000, height: 10), .stretched, .unread
        ) { writer in
            if let share = meter.share {
                writer.element(.rect, .class("share"), .width(Int((share * 1000).rounded())), .height(10))
            }
            for mark in [meter.low, meter.high].compactMap(\.self) where MeterBlock.isDrawn(mark) {
                writer.element(
                    .rect, .class("mark"), .x(Int((mark * 1000).rounded())), .width(4), .height(10))
            }
        }
    }

    mutating func chart(_ chart: ChartBlock, key: PageKey) {
        let across = PlotRange(chart.series.lazy.flatMap { $0.points.lazy.map(\.x) })
        let upward = PlotRange(chart.series.lazy.flatMap { $0.points.lazy.map(\.y) })
        element(.figure, .class("block chart"), .key(key)) { writer in
            writer.element(.figcaption, .automaticDirection, text: chart.label)
            if let across, let upward {
                writer.plot(chart, across, upward)
            } else {
                writer.element(.p, .class("empty"), text: "No values yet.")
            }
            writer.element(.ul, .class("legend"), .role(.list)) { writer in
                for (number, series) in chart.series.enumerated() {
                    writer.legend(series, number: number, kind: chart.kind)
                }
            }
        }
    }

    /// Draws the series, with the ends of both axes beside them.
    private mutating func plot(_ chart: ChartBlock, _ across: PlotRange, _ upward: PlotRange) {
        element(.div, .class("plot")) { writer in
            writer.element(.div, .class("upward")) { writer in
                writer.quantity(Quantity(upward.highest, chart.kind))
                if upward.lowest < upward.highest { writer.quantity(Quantity(upward.lowest, chart.kind)) }
            }
            writer.element(
                .svg, .viewBox(width: LinePath.width, height: LinePath.height), .stretched, .role(.img),
                .label("\(chart.label), drawn over \(chart.over == .time ? "time" : chart.over.rawValue)")
            ) { writer in
                for (number, series) in chart.series.enumerated().reversed() {
                    let path = LinePath(series.points, x: across, y: upward)
                    guard !path.text.isEmpty else { continue }
                    writer.element(.path, .series(number), .unfilled, .evenStroke, .course(path))
                }
            }
            writer.element(.div, .class("across")) { writer in
                writer.quantity(Quantity(across.lowest, chart.over))
                if across.lowest < across.highest { writer.quantity(Quantity(across.highest, chart.over)) }
            }
        }
    }

    /// Writes a series' last, lowest and highest value.
    private mutating func legend(_ series: ChartBlock.Series, number: Int, kind: Quantity.Kind) {
        element(.li, .key(PageKey(series.key))) { writer in
            writer.element(.span, .class("swatch"), .series(number), .unread)
            writer.element(.span, .class("title"), .automaticDirection, text: series.label)
            guard let range = PlotRange(series.points.lazy.map(\.y)), let last = series.points.last?.y else {
                writer.element(.span, .class("detail"), text: "no values")
                return
            }
            writer.element(.b) { $0.quantity(Quantity(last, kind)) }
            writer.element(.span, .class("detail")) { writer in
                writer.text("lowest ")
                writer.quantity(Quantity(range.lowest, kind))
                writer.text(", highest ")
                writer.quantity(Quantity(range.highest, kind))
            }
        }
    }
}

extension MeterBlock {
    /// Whether a mark is drawn on the bar: one at an end of it says nothing.
    fileprivate static func isDrawn(_ mark: Double) -> Bool { mark > 0 && mark < 1 }

    /// What the marks on the bar mean.
    fileprivate var legend: [String] {
        [("low below", low), ("high above", high)].compactMap { word, mark in
            mark.flatMap { Self.isDrawn($0) ? "\(word) \(Quantity.percent($0).text)" : nil }
        }
    }
}
