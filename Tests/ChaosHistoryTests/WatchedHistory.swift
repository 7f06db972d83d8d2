@testable import ChaosHistory

/// What is made up of a watched scene.
extension CheckerTests.History {
    /// A history with a scene that has counted two inputs, of which two watchers are shown both.
    static var watched: Self {
        var history = Self()
        history.at(300, "client", .opened(session: "s"))
        history.at(310, "worker-1", .active(session: "s", token: 1, count: 0))
        for watcher in ["client", "plugin"] { history.at(350, watcher, .watching(session: "s")) }
        history.at(400, "worker-1", .input(id: "i", session: "s", count: 1))
        history.ticks(5, at: 500)
        history.at(3900, "worker-1", .input(id: "j", session: "s", count: 2))
        for watcher in ["client", "plugin"] {
            history.shows("a", count: 1, tick: 4, at: 410, to: watcher)
            history.shows("a", count: 1, tick: 5, at: 510, to: watcher)
            history.shows("a", count: 2, tick: 5, at: 3910, to: watcher)
        }
        return history
    }

    private static func tick(_ value: Int) -> Counter { Counter(life: 1, value: value) }

    /// Sets the entry, which all processes receive.
    mutating func ticks(_ value: Int, at time: UInt64) {
        at(time, "plugin", .set(entry: "tick", value: Self.tick(value)))
        for process in ["client", "plugin", "worker-1", "worker-2"] {
            at(time + 1, process, .saw(entry: "tick", value: Self.tick(value)))
        }
    }

    /// The client types a number into its field.
    /// - Parameter answered: when it is told that the scene has stored it; `nil` if the request times out.
    mutating func types(_ number: Int, at time: UInt64, stored: UInt64, answered: UInt64?) {
        let id = "s client \(number)"
        at(time, "client", .typing(id: id, session: "s", field: "client", number: number))
        let timeout = RequestOutcome.failed(code: "timeout", mayHaveBeenHandled: true)
        request(id, .fill, at: time, answer: answered.map { ($0, RequestOutcome.reply) } ?? (time + 1000, timeout))
        at(stored, "worker-1", .applied(id: id))
    }

    mutating func shows(
        _ scene: String, count: Int, tick: Int, typed: Int? = nil, isLive: Bool = true, at time: UInt64,
        to watcher: String
    ) {
        let picture = ShownPicture(
            scene: scene, count: count, values: ["tick": Self.tick(tick)],
            typed: typed.map { ["client": $0] } ?? [:], isLive: isLive)
        at(time, watcher, .shown(session: "s", picture: picture))
    }
}
