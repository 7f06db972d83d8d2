/// What `scenebus bench scene` and the worker whose scene it measures agree on.
package enum Dashboard {
    /// The actions of the scene. Each changes one thing.
    package enum Change: String, CaseIterable, Sendable {
        /// The share of the meter.
        case meter
        /// A cell of the table.
        case cell
        /// The chart: a point is added at its end, and the first one goes.
        case point
    }

    /// The share that the meter shows after a number of changes. It tells one picture from the next.
    package static func share(after changes: Int) -> Double { Double(changes % 1000) / 1000 }
}
