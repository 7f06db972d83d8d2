import Bus
import Messaging

/// Mirrors the traffic to whoever has subscribed to it. Costs one look at a flag while nobody has.
@MainActor
final class Tap {
    /// Somebody listens.
    var isOn = false {
        didSet { if !isOn { started = [:] } }
    }
    /// Publishes a frame; a listener that does not read loses frames, and slows nobody down.
    var send: (([UInt8]) -> Void)?

    private let clock: HostClock
    /// When each request passed, to tell the latency at its end.
    private var started: [Hop: UInt64] = [:]
    /// Requests whose end the tap waits for; beyond it latencies are left out.
    private static let maximumStarted = 10_000
    /// Counts the records, so that a listener sees what it lost.
    private var sequence: UInt64 = 0

    private struct Hop: Hashable {
        let peer: String
        let id: UInt64
        let toHost: Bool
    }

    init(clock: HostClock) {
        self.clock = clock
    }

    func record(_ frame: Frame, size: Int, from: String, to: String) {
        let now = clock.microseconds(at: .now)
        var latency: UInt64?
        switch frame.kind {
        case .request where started.count < Self.maximumStarted:
            started[Hop(peer: to == "host" ? from : to, id: frame.id, toHost: to == "host")] = now
        case .reply, .failure:
            // A reply travels against its request.
            let hop = Hop(peer: to == "host" ? from : to, id: frame.id, toHost: to != "host")
            latency = started.removeValue(forKey: hop).map { now - $0 }
        default: break
        }
        sequence += 1
        let record = TapRecord(
            sequence: sequence, time: now, from: from, to: to, kind: frame.kind.name, name: frame.name,
            session: frame.session, sender: frame.sender, size: size, latency: latency,
            trace: frame.trace == .none ? nil : frame.trace.hex)
        var tap = Frame(.tap)
        tap.id = sequence
        // A record's types always encode.
        if let bytes = try? tap.encoded(payload: record) { send?(bytes) }
    }
}
