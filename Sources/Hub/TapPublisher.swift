import Bus
import Messaging

/// Mirrors the traffic to the monitors that have subscribed to it. Without a subscriber it costs one check of a flag
/// per frame.
@MainActor
final class TapPublisher {
    /// Whether anybody watches. Only then is the traffic mirrored.
    private(set) var isOn = false {
        didSet { if !isOn { started = [:] } }
    }
    /// Whether a monitor has subscribed at the publisher.
    private(set) var hasSubscriber = false
    /// The links over which peers watch.
    private(set) var watchers: Set<UInt64> = []
    /// Publishes a frame. A listener that does not read loses frames and delays nothing.
    var send: ((TapRecord, [UInt8]) -> Void)?

    private let clock: HostClock
    /// When each request passed the host, to compute the latency of its reply.
    private var started: [Hop: UInt64] = [:]
    /// The maximum number of requests whose reply the tap waits for. Latencies of further requests are left out.
    private let maximumStarted: Int
    /// Counts the records, so that a listener can see how many it has lost.
    private var sequence: UInt64 = 0

    private struct Hop: Hashable {
        let peer: String
        let id: UInt64
        let toHost: Bool
    }

    init(clock: HostClock, maximumStarted: Int = 10_000) {
        self.clock = clock
        self.maximumStarted = maximumStarted
    }

    /// Notes a change of a subscription to any topic.
    func subscriptionChanged(_ topic: some Sequence<UInt8>, isOn: Bool) {
        guard topic.elementsEqual(Frame.topic(.tap)) else { return }
        hasSubscriber = isOn
        self.isOn = hasSubscriber || !watchers.isEmpty
    }

    /// Begins or ends to send records over a link.
    func watch(_ link: UInt64, isOn: Bool) {
        if isOn { watchers.insert(link) } else { watchers.remove(link) }
        self.isOn = hasSubscriber || !watchers.isEmpty
    }

    /// Notes that a peer is gone. Nobody waits for the replies to its requests, and it replies to none.
    func detached(_ peer: String, _ link: UInt64) {
        if watchers.contains(link) { watch(link, isOn: false) }
        if isOn { started = started.filter { $0.key.peer != peer } }
    }

    func record(_ frame: Frame, size: Int, from: String, to: String) {
        let now = clock.microseconds(at: .now)
        let isToHost = to == TapRecord.host
        let peer = isToHost ? from : to
        var latency: UInt64?
        switch frame.kind {
        case .request where started.count < maximumStarted:
            started[Hop(peer: peer, id: frame.id, toHost: isToHost)] = now
        case .reply, .failure:
            // A reply travels in the opposite direction of its request.
            let hop = Hop(peer: peer, id: frame.id, toHost: !isToHost)
            latency = started.removeValue(forKey: hop).map { now - $0 }
        // No reply follows.
        case .cancel: started[Hop(peer: peer, id: frame.id, toHost: isToHost)] = nil
        default: break
        }
        sequence += 1
        let record = TapRecord(
            sequence: sequence, time: now, from: from, to: to, kind: frame.kind.name, name: frame.name,
            session: frame.session, sender: frame.sender, size: size, latency: latency,
            trace: frame.trace == .none ? nil : frame.trace.hex)
        var tap = Frame(.tap)
        tap.id = sequence
        // A record can always be encoded.
        if let bytes = try? tap.encoded(payload: record) { send?(record, bytes) }
    }
}
