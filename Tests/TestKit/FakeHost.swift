package import Bus
import CBOR
import Glibc
package import Messaging
import PeerLink
package import ZeroMQ

/// A host that welcomes a peer and answers its requests, and also sends whatever a test wants.
@MainActor
@dynamicMemberLookup
package final class FakeHost {
    package let endpoint: String
    private let publisherEndpoint: String
    /// The publisher's address in the welcome; a test may change it to mislead the peer.
    package var publisher: String
    private let folder: TemporaryFolder
    package let context = SocketContext()
    private var router: SocketPort?
    private var sockets: SocketPort?
    /// The connection that sent the latest hello.
    private var peer: RoutingID?
    /// What peers have sent.
    private var record = FakeHostRecord()
    /// It sends the snapshots that peers request.
    package var isSynchronizing = true
    /// It replies to requests.
    package var isReplying = true
    /// The error with which it ends each request; `nil` for a reply that is an empty map.
    package var failure: MessageError?
    /// The requests that a peer may have on their way, as its welcome says; `nil` for any number.
    package var credits: Int?
    /// The version of SceneBus in its welcome; `nil` for a host of an earlier version, which does not say it.
    package var software: String?
    /// The largest message of several frames that it accepts, as its welcome says.
    package var batch: Int?
    /// The names to which frames may refer by their index, as its welcome says; `nil` for none.
    package var names: [String]? {
        didSet { texts.names = NameTable(names ?? []) }
    }
    private var texts = FrameTexts()
    /// The reply to every hello; `nil` for a welcome.
    package var refusal: Refusal?
    private var clock: RawPeer?
    private let heartbeat: Int
    /// The clock value in replies to heartbeats.
    package var time: UInt64?
    /// Called with each frame of the peer, in their order.
    package var onFrame: @MainActor (Frame) -> Void = { _ in }
    /// Whether the host answers what arrives over the bus.
    package var isAnswering = true

    /// - Parameter heartbeat: the interval in milliseconds. It is so long by default that a busy machine loses no link.
    package init(heartbeat: Int = 60_000) throws {
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

    package func close() {
        clock?.close()
        router?.close()
        sockets?.close()
    }

    /// What peers have sent, such as `hellos` and `posts`.
    package subscript<Value>(dynamicMember path: KeyPath<FakeHostRecord, Value>) -> Value { record[keyPath: path] }

    /// What the peer said that it has dropped, in its latest report.
    package var drops: [String: UInt64]? {
        get { record.drops }
        set { record.drops = newValue }
    }

    // MARK: - What a host does

    private func received(_ message: SocketMessage) {
        guard isAnswering, let sender = message.sender else { return }
        record.messageCount += 1
        var frames = ReceivedFrames(message.bytes)
        while let bytes = frames.next() {
            if let frame = try? Frame(bytes, &texts, names: texts.names.count) { received(frame, from: sender) }
        }
    }

    private func received(_ frame: Frame, from sender: RoutingID) {
        onFrame(frame)
        if frame.kind == .hello { peer = sender }
        guard sender == peer else { return send(encoded(Refusal(.unknownLink, "say hello again")), to: sender) }
        record.received(frame, from: sender)
        switch frame.kind {
        case .hello: say(refusal.map(encoded) ?? welcome())
        case .request: if isReplying { reply(to: frame) }
        case .heartbeat: say(heartbeat(answering: frame))
        case .synchronize:
            guard isSynchronizing else { return }
            if let stray { sendSnapshot(after: stray) }
            sendSnapshot()
        default: break
        }
    }

    private func encoded(_ refusal: Refusal) -> [UInt8] { (try? Frame(.refusal).encoded(payload: refusal)) ?? [] }

    private func welcome() -> [UInt8] {
        let welcome = Welcome(
            version: 1, epoch: epoch, link: UInt64(record.hellos), publisher: publisher, heartbeat: heartbeat, clock: 1,
            host: "fake", pid: getpid(), credits: credits, batch: batch, names: names,
            software: software)
        return (try? Frame(.welcome).encoded(payload: welcome)) ?? []
    }

    private func heartbeat(answering frame: Frame) -> [UInt8] {
        var answer = Frame(.heartbeat)
        answer.id = frame.id
        guard let time else { return answer.encoded() }
        return (try? answer.encoded(payload: Heartbeat(received: 0, clock: time))) ?? []
    }

    /// Replies to the requests that came last, in one message.
    package func replyInOneMessage(_ count: Int) {
        say(Array(record.requestFrames.suffix(count).map { end(of: $0) }.joined()))
    }

    private func reply(to request: Frame) { say(end(of: request)) }

    private func end(of request: Frame) -> [UInt8] {
        var end = Frame(.reply)
        if let failure {
            end.kind = .failure
            end.payload = (try? CBOREncoder().encode(FailureEncoding(failure)))?[...] ?? []
        } else {
            end.payload = [0xA0]
        }
        end.setName(request.name, request.nameIndex)
        end.id = request.id
        end.revision = repliedRevision
        return end.encoded(names: texts.names.count)
    }

    /// Sends the snapshot that a peer has requested in vain.
    package func synchronize() {
        isSynchronizing = true
        sendSnapshot()
    }

    /// Replies to the requests that came last.
    package func replyToLast(_ count: Int) {
        for request in record.requestFrames.suffix(count) { reply(to: request) }
    }

    private func subscribed(_ message: SocketMessage) {
        guard message.bytes.first == 1, message.bytes.dropFirst().elementsEqual(Frame.topic(.beacon)) else { return }
        subscriptions += 1
        if isPublishing { sendBeacon() }
    }

    /// The number of beacon subscriptions so far.
    package private(set) var subscriptions = 0
    /// Whether the publisher sends anything.
    package var isPublishing = true

    package func sendBeacon() {
        var beacon = Frame(.beacon)
        beacon.epoch = epoch
        beacon.revision = newestRevision
        try? publish(beacon.encoded())
    }

    /// Its life.
    package var epoch: UInt64 = 1
    /// The container's revision in beacons and snapshots.
    package var newestRevision: UInt64 = 1
    /// The revision in replies: what their handlers have reached.
    package var repliedRevision: UInt64 = 0
    /// The start revision of an additional, unrequested snapshot; `nil` for none.
    package var stray: UInt64?

    private func sendSnapshot(after known: UInt64 = 0) { say(snapshot(after: known)) }

    /// Returns a snapshot without entries.
    package func snapshot(after known: UInt64 = 0) -> [UInt8] {
        var frame = Frame(.snapshot)
        frame.flags = .last
        frame.epoch = epoch
        frame.previous = known
        frame.revision = newestRevision
        frame.payload = [0xA0]
        return frame.encoded()
    }

    // MARK: - What no host does

    /// Sends a frame to the peer.
    package func say(_ bytes: [UInt8]) {
        if let peer { send(bytes, to: peer) }
    }

    /// Sends a message of several parts.
    package func say(parts: [[UInt8]]) {
        guard let peer else { return }
        // The peer may have disconnected already.
        _ = try? router?.withSocket { socket throws(ZeroMQError) in
            guard try socket.send(to: peer) else { return }
            for (index, part) in parts.enumerated() { try socket.send(part, more: index < parts.count - 1) }
        }
    }

    private func send(_ bytes: [UInt8], to peer: RoutingID) {
        // The peer may have disconnected already.
        _ = try? router?.send(bytes, to: peer)
    }

    package func publish(_ bytes: [UInt8]) throws { try sockets?.send(bytes) }

    // MARK: - Waiting

    /// Makes a round trip over a connection that has sent no hello, so that all pending work can proceed.
    package func turn() async throws {
        try clock?.sendHeartbeat()
        _ = try await clock?.next()
    }

    /// Lets this process's loop turn.
    package func loopTurn() async throws {
        await withCheckedContinuation { continuation in
            let timer = LoopTimer { continuation.resume() }
            timer.set(for: .now + .milliseconds(20))
            turning = timer
        }
    }

    private var turning: LoopTimer?

    /// Waits until a condition holds; it is checked after each round trip.
    /// - Throws: ``NotReached`` when it does not hold within the limit; also what the condition throws.
    package func until(
        _ what: String, within limit: Duration = .seconds(180), _ condition: @MainActor () throws -> Bool
    ) async throws {
        try await TestKit.until(what, within: limit, turn: { try await turn() }, condition)
    }
}
