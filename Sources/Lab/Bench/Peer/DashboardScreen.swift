import BenchMessages
import CoordinatorKit

/// The screen of the scene that `scenebus bench scene` measures: ten facts, a meter, a table and a chart.
final class DashboardScreen: ViewController {
    private struct Machine: Identifiable {
        let id: Int
        var sessions: Int
    }

    /// A day in 2025, in seconds since 1970.
    private static let start = 1_750_000_000.0
    private var machines: [Machine]
    private var points: [ChartBlock.Point]
    private var pointCount: Int
    private var meterChanges = 0

    /// - Parameters:
    ///   - rows: the rows of the table.
    ///   - points: the points of the chart, one for each second.
    init(rows: Int, points: Int) {
        machines = (0..<rows).map { Machine(id: $0, sessions: $0) }
        self.points = (0..<points).map(Self.point)
        pointCount = points
        super.init()
    }

    private static func point(_ number: Int) -> ChartBlock.Point {
        ChartBlock.Point(start + Double(number), Double(number * 37 % 1000) / 10)
    }

    override var screen: Screen? {
        Screen("Dashboard") {
            for number in 1...10 { Fact("Fact \(number)", "the value of fact \(number)") }
            Meter("Memory", Dashboard.share(after: meterChanges), high: 0.9)
            Table(machines) {
                Column("Worker", text: { "worker-\($0.id)" })
                Column("State", text: { _ in "running" })
                Column("Sessions", quantity: { .count($0.sessions) })
                Column("Memory", quantity: { .size(40_000_000 + $0.id * 1000) })
                Column("Since", quantity: { .time(Self.start + Double($0.id)) })
            }
            Chart("Requests", series: [ChartBlock.Series(key: "requests", label: "Requests a second", points: points)])
            for change in Dashboard.Change.allCases {
                Action("Change the \(change.rawValue)", name: change.rawValue) { self.make(change) }
            }
        }
    }

    private func make(_ change: Dashboard.Change) {
        switch change {
        case .meter: meterChanges += 1
        case .cell: machines[machines.count / 2].sessions += 1
        case .point:
            points.removeFirst()
            points.append(Self.point(pointCount))
            pointCount += 1
        }
        setNeedsContentUpdate()
    }
}
