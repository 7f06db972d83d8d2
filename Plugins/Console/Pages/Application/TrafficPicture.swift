import SceneContent

/// How many messages the host has passed on, in the last hour.
package struct TrafficPicture: Hashable, Sendable {
    /// The means of one span of time, as messages in a second.
    package struct Point: Hashable, Sendable {
        /// The number of the span. Those between two points for which nothing is known are missing.
        package var span: Int
        package var received: Double
        package var sent: Double
        package var lost: Double

        package init(span: Int, received: Double, sent: Double, lost: Double) {
            self.span = span
            self.received = received
            self.sent = sent
            self.lost = lost
        }
    }

    /// From left to right.
    package var points: [Point]
    /// The number of the span that goes on.
    package var last: Int
    /// The number of spans that are drawn.
    package var spans: Int

    package init(points: [Point] = [], last: Int = 0, spans: Int = 120) {
        self.points = points
        self.last = last
        self.spans = spans
    }
}

extension HTMLWriter {
    /// Draws the rates of messages. The scale's steps are large, so that it does not move with each number.
    mutating func traffic(_ traffic: TrafficPicture) {
        element(.section, .class("things"), .key(PageKey("traffic")), .id(PageID("messages"))) { writer in
            writer.element(.h2) { writer in
                writer.element(.a, .href(.page("\(PagePath.application)#messages")), text: "Messages in a second")
                writer.element(.span, .class("count"), text: "in the last hour")
            }
            writer.element(.figure, .class("block chart traffic")) { writer in
                let lines = TrafficLine.all.filter { line in
                    line.isAlwaysShown || traffic.points.contains { $0[keyPath: line.value] > 0 }
                }
                writer.plot(traffic, lines)
                writer.element(.ul, .class("legend"), .role(.list)) { writer in
                    for (number, line) in lines.enumerated() { writer.legend(line, number, traffic) }
                }
                writer.element(
                    .figcaption, .class("hint"),
                    text: "All that the host has received and sent, and what these pages ask for, too.")
            }
        }
    }

    private mutating func plot(_ traffic: TrafficPicture, _ lines: [TrafficLine]) {
        let highest = traffic.points.lazy.flatMap { point in lines.map { point[keyPath: $0.value] } }.max() ?? 0
        let top = Self.roundTop(highest)
        guard let across = PlotRange([Double(traffic.last - traffic.spans + 1), Double(traffic.last)]),
            let upward = PlotRange([0, top])
        else { return }
        element(.div, .class("plot")) { writer in
            writer.element(.div, .class("upward")) { writer in
                writer.quantity(.number(top))
                writer.quantity(.number(0))
            }
            writer.element(
                .svg, .viewBox(width: LinePath.width, height: LinePath.height), .stretched, .role(.img),
                .label("Messages in a second, drawn over the last hour")
            ) { writer in
                for (number, line) in lines.enumerated().reversed() {
                    for run in traffic.runs {
                        let points = run.map { ChartBlock.Point(Double($0.span), $0[keyPath: line.value]) }
                        let path = LinePath(points, x: across, y: upward)
                        guard !path.text.isEmpty else { continue }
                        writer.element(.path, .series(number), .unfilled, .evenStroke, .course(path))
                    }
                }
            }
            writer.element(.div, .class("across")) { writer in
                for label in ["60 min ago", "45", "30", "15", "now"] {
                    writer.element(.span, text: label)
                }
            }
        }
    }

    private mutating func legend(_ line: TrafficLine, _ number: Int, _ traffic: TrafficPicture) {
        let values = traffic.points.map { $0[keyPath: line.value] }
        element(.li, .key(PageKey(line.name))) { writer in
            writer.element(.span, .class("swatch"), .series(number), .unread)
            writer.element(.span, .class("title"), text: line.name)
            guard let last = values.last, let highest = values.max() else {
                writer.element(.span, .class("detail"), text: "not known yet")
                return
            }
            writer.element(.b, .class("quantity"), text: Self.rate(last))
            writer.element(.span, .class("detail")) { writer in
                writer.text("highest \(Self.rate(highest))")
            }
        }
    }

    /// A rate with as many places as one can tell apart at a glance.
    private static func rate(_ value: Double) -> String {
        value >= 100 ? Quantity.number(value.rounded()).text : "\((value * 10).rounded() / 10)"
    }

    /// The top of the scale for a value: 1, 2 or 5, and noughts.
    static func roundTop(_ value: Double) -> Double {
        var step = 1.0
        while step < 1e12 {
            for factor in [1.0, 2, 5] where factor * step >= value { return factor * step }
            step *= 10
        }
        return value
    }
}

/// A line of the drawing.
private struct TrafficLine {
    var name: String
    var value: KeyPath<TrafficPicture.Point, Double>
    /// Whether it is drawn while it is nothing.
    var isAlwaysShown = true

    static var all: [TrafficLine] {
        [
            TrafficLine(name: "Received", value: \.received), TrafficLine(name: "Sent", value: \.sent),
            TrafficLine(name: "Dropped or refused", value: \.lost, isAlwaysShown: false),
        ]
    }
}

extension TrafficPicture {
    /// The points, cut where something is missing: a line there would say what nobody knows.
    fileprivate var runs: [[Point]] {
        points.reduce(into: []) { runs, point in
            if let last = runs.last?.last, last.span + 1 == point.span {
                runs[runs.count - 1].append(point)
            } else {
                runs.append([point])
            }
        }
    }
}
