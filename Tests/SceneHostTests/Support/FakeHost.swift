import Bus
import CBOR
import CoordinatorKit
import Glibc
import Link
import Testing

@testable import ZeroMQ

/// A host that welcomes a peer, answers its requests, and besides says whatever a test lets it say.
@MainActor
final class FakeHost {
    let endpoint: String
    private let publisherEndpoint: String
    /// What its welcome says; changed by a test that wants to mislead.
    var publisher: String
    private let folder: TemporaryFolder
    private let context = Context()
    private var router: SocketPort?
    private var sockets: SocketPort?
    /// The connection that said hello last.
    private var peer: RoutingID?
    private(set) var hellos = 0
    private(set) var requests = 0
    private(set) var replies: [Frame] = []
    private var clock: RawPeer?
    private let heartbeat: Int
    /// What its answers to heartbeats say of its clock.
    var time: UInt64?
    /// It answers what comes over the bus.
    var isAnswering = true

    /// - Parameter heartbeat: the interval in milliseconds.
    init(heartbeat: Int = 1000) throws {
        self.heartbeat = heartbeat
        folder = try TemporaryFolder()
        endpoint = "ipc://\(folder.path)/bus"
        publisherEndpoint = "ipc://\(folder.path)/pub"
        publisher = publisherEndpoint
        var options = SocketOptions()
        options.linger = 0
        options.sendHighWaterMark = 0
        let bus = try Socket(.router, in: context, options: options)
        try bus.bind(endpoint)
        options.reportsEverySubscription = true
        let pub = try Socket(.verbosePublisher, in: context, options: options)
        try pub.bind(publisherEndpoint)
        router = SocketPort(bus) { [weak self] in self?.received($0) }
        sockets = SocketPort(pub) { [weak self] in self?.subscribed($0) }
        clock = try RawPeer(.dealer, endpoint: endpoint, context: context)
    }

    func close() {
        clock?.close()
        router?.close()
        sockets?.close()
        #expect(context.openSockets == 0)
    }

    // MARK: - What a host does

    private func received(_ message: SocketPort.Message) {
        guard isAnswering, let sender = message.sender, let frame = try? Frame(message.bytes) else { return }
        if frame.kind == .hello {
            peer = sender
            hellos += 1
            let welcome = Welcome(
                version: 1, epoch: 1, link: UInt64(hellos), publisher: publisher, heartbeat: heartbeat, clock: 1,
                host: "fake",
                pid: getpid())
            return say((try? Frame(.welcome).encoded(payload: welcome)) ?? [])
        }
        guard sender == peer else {
            let refusal = Refusal(.unknownLink, "say hello again")
            return send((try? Frame(.refusal).encoded(payload: refusal)) ?? [], to: sender)
        }
        var answer: Frame
        switch frame.kind {
        case .reply:
            replies.append(frame)
            return
        case .request:
            requests += 1
            answer = Frame(.reply)
            answer.name = frame.name
            answer.id = frame.id
            answer.payload = [0xA0]
            answer.revision = repliedRevision
        case .heartbeat:
            answer = Frame(.heartbeat)
            answer.id = frame.id
            if let time, let payload = try? CBOREncoder().encode(Heartbeat(received: 0, clock: time)) {
                answer.payload = payload[...]
            }
        case .synchronize:
            if let stray { sendSnapshot(after: stray) }
            return sendSnapshot()
        default: return
        }
        say(answer.encoded())
    }

    private func subscribed(_ message: SocketPort.Message) {
        guard message.bytes.first == 1, message.bytes.dropFirst().elementsEqual(Frame.topic(.beacon)) else { return }
        subscriptions += 1
        if isPublishing { sendBeacon() }
    }

    /// How often somebody has subscribed.
    private(set) var subscriptions = 0
    /// Its publisher is heard.
    var isPublishing = true

    func sendBeacon() {
        var beacon = Frame(.beacon)
        beacon.epoch = 1
        beacon.revision = newestRevision
        try? publish(beacon.encoded())
    }

    /// The container's revision, as its beacons and snapshots say.
    var newestRevision: UInt64 = 1
    /// What its replies say that their handlers have reached.
    var repliedRevision: UInt64 = 0
    /// The revision from which a snapshot is sent that somebody else has asked for; `nil` for none.
    var stray: UInt64?

    private func sendSnapshot(after known: UInt64 = 0) {
        var frame = Frame(.snapshot)
        frame.flags = .last
        frame.epoch = 1
        frame.previous = known
        frame.revision = newestRevision
        frame.payload = [0xA0]
        say(frame.encoded())
    }

    // MARK: - What no host does

    /// Says something to the peer.
    func say(_ bytes: [UInt8]) {
        if let peer { send(bytes, to: peer) }
    }

    /// Says something in several parts.
    func say(parts: [[UInt8]]) {
        guard let peer else { return }
        // A peer that is gone hears nothing.
        _ = try? router?.withSocket { socket throws(ZeroMQError) in
            guard try socket.send(to: peer) else { return }
            for (index, part) in parts.enumerated() { try socket.send(part, more: index < parts.count - 1) }
        }
    }

    private func send(_ bytes: [UInt8], to peer: RoutingID) {
        // A peer that is gone hears nothing.
        _ = try? router?.send(bytes, to: peer)
    }

    func publish(_ bytes: [UInt8]) throws { try sockets?.send(bytes) }

    // MARK: - Waiting

    /// Lets everything go on that can: a round trip of somebody who has said no hello.
    func turn() async throws {
        try clock?.send(Frame(.heartbeat).encoded())
        _ = try await clock?.next()
    }

    /// Lets the loop of this process turn.
    func loopTurn() async throws {
        await withCheckedContinuation { continuation in
            let timer = LoopTimer { continuation.resume() }
            timer.set(for: .now + .milliseconds(20))
            turning = timer
        }
    }

    private var turning: LoopTimer?

    func until(
        _ what: String, within limit: Duration = .seconds(20), _ condition: @MainActor () throws -> Bool
    ) async throws {
        let end = ContinuousClock.now + limit
        while try !condition() {
            guard ContinuousClock.now < end else {
                throw LiveHost.NotReached(description: "not within \(limit): \(what)")
            }
            try await turn()
        }
    }
}
