import Messaging
import Bus
import CBOR
import Logging
import TestKit
import Testing
import ZeroMQ

@testable import Hub

/// Runs a hub for the duration of a body.
@MainActor
func withHub(_ body: @MainActor (LiveHub) async throws -> Void) async throws {
    let live = try LiveHub()
    defer { live.close() }
    try await body(live)
}

/// A hub on real sockets, with the peers that a test attaches. It is also the hub's observer and the owner of the
/// container.
@MainActor
final class LiveHub: HubObserver, ContainerOwner {
    let hub: Hub
    /// The container's entries.
    private(set) var entries = DependencyRevisions()
    private let context = SocketContext()
    private let folder: TemporaryFolder
    private let endpoint: String
    /// A connection that has sent no hello.
    private let control: RawPeer
    private var raws: [RawPeer] = []

    init() throws {
        folder = try TemporaryFolder()
        endpoint = "ipc://\(folder.path)/bus"
        hub = Hub(name: "test", context: context, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        hub.epoch = 1
        // The test's own connections say nothing for as long as a test needs or pretends.
        try hub.start(
            on: [HostEndpoint(bus: endpoint, publisher: "ipc://\(folder.path)/pub")], patience: .seconds(1_000_000))
        control = try RawPeer(.dealer, endpoint: endpoint, context: context)
        hub.observer = self
        hub.container = self
    }

    func close() {
        for raw in raws { raw.close() }
        control.close()
        hub.stop()
        #expect(context.openSockets == 0)
    }

    // MARK: - Peers

    /// Connects a peer that has sent no hello yet.
    func raw() throws -> RawPeer {
        let raw = try RawPeer(.dealer, endpoint: endpoint, context: context)
        raws.append(raw)
        return raw
    }

    /// Attaches a peer that sends only what the test sends. It is not detached for sending no heartbeats.
    func attach(
        _ name: String, role: PeerRole = .plugin, handles: [String] = [], batch: Int? = nil,
        names: Int? = nil
    ) async throws -> (raw: RawPeer, link: HubLink) {
        let raw = try self.raw()
        _ = try await raw.hello(name, role: role, handles: handles, batch: batch, names: names)
        // Not `#require(hub.link(named: name))`: if that failed, it would print all that the hub refers to.
        guard let link = hub.link(named: name) else { throw NotReached(description: "\(name) stays attached") }
        return (raw, link)
    }

    /// Closes a peer's connection, which libzmq knows then and the hub does not.
    func loseUnnoticed(_ raw: RawPeer, _ link: HubLink) async throws {
        raw.close()
        // Until libzmq has noticed that the connection is closed, it still takes what is sent.
        try await until("the connection is closed") {
            if !link.isGone { hub.send(Frame(.heartbeat), to: link) }
            return link.isGone
        }
        link.traffic.isGone = false
    }

    /// Lets the hub run until a condition is true.
    func until(_ what: String, _ condition: @MainActor () throws -> Bool) async throws {
        // A round trip, so that all pending work can proceed.
        let turn = { [control] in
            try control.sendHeartbeat()
            _ = try await control.next()
        }
        try await TestKit.until(what, turn: turn, condition)
    }

    // MARK: - The container

    /// Sets entries that need several parts of a snapshot together.
    func fill(_ letter: String = "x", count: Int = 8) throws {
        let value = try CBOREncoder().encode(String(repeating: letter, count: 720_000 / count))
        var changes: [String: [UInt8]?] = [:]
        for number in 0..<count { changes["key\(number)"] = value }
        if let change = entries.apply(changes, owner: "") { hub.publish(change) }
    }

    func snapshot(after revision: UInt64) -> DependencySnapshot { entries.snapshot(after: revision) }
    func publish(_ frame: Frame, from link: HubLink) {}

    // MARK: - Observing

    func attached(_ link: HubLink) {
        // A busy machine may be slow, and the peers of tests send no heartbeats, which would show that they are alive
        // and how much they have received.
        link.traffic.liveness = Liveness(interval: .seconds(3600), now: .now)
        link.traffic.sendWindow.stoodStill(at: .now + .seconds(3600))
    }

    func synchronized(_ link: HubLink) {}
    func detached(_ link: HubLink, _ departure: Departure) {}
    func refused(_ message: String, of link: HubLink, for user: String?, _ reason: String) {}
    func quiet(_ links: Set<UInt64>) {}
    func heard(_ link: HubLink) {}
}

extension RawPeer {
    /// Sends a heartbeat that acknowledges bytes, and that the hub answers.
    func sendHeartbeat(received: UInt64) throws {
        var frame = Frame(.heartbeat)
        frame.id = 1
        try send(frame.encoded(payload: Heartbeat(received: received)))
    }
}
