package import Messaging
package import Bus
package import ZeroMQ

/// A raw socket that sends whatever a test wants.
@MainActor
package final class RawPeer {
    private var port: SocketPort?
    /// The names of the last welcome, to which frames may refer by their index.
    private var texts = FrameTexts()
    /// Each frame that has arrived, with the number of the ZeroMQ message that held it.
    private let frames: AsyncStream<(bytes: [UInt8], message: Int)>
    private var arrived = 0
    private var lastMessage = 0
    /// The bytes of the frames that were taken since the last welcome, as a peer reports them.
    package private(set) var received: UInt64 = 0
    /// The number of ZeroMQ messages from which `next()` has returned a frame.
    package private(set) var messageCount = 0
    /// Called with each welcome that is taken.
    package var onWelcome: (@MainActor (Welcome) -> Void)?

    /// - Parameters:
    ///   - sendHighWaterMark: the number of messages that wait to be sent; 0 for no limit.
    ///   - security: the keys for TCP; `nil` for none.
    package init(
        _ kind: Socket.Kind, endpoint: String, context: SocketContext, sendHighWaterMark: Int32 = 1000,
        security: SocketSecurity? = nil
    ) throws {
        let (stream, continuation) = AsyncStream<(bytes: [UInt8], message: Int)>.makeStream()
        frames = stream
        var options = SocketOptions()
        options.maximumMessageSize = -1
        options.linger = 1000
        options.sendHighWaterMark = sendHighWaterMark
        options.security = security
        let socket = try Socket(kind, in: context, options: options)
        try socket.connect(endpoint)
        port = SocketPort(socket) { [weak self] received in
            guard let self else { return }
            arrived += 1
            var frames = ReceivedFrames(received.bytes)
            while let frame = frames.next() { continuation.yield((Array(frame), arrived)) }
        }
    }

    package func send(_ bytes: [UInt8]) throws { try port?.send(bytes) }

    /// Sends a heartbeat that the host answers.
    package func sendHeartbeat() throws {
        var frame = Frame(.heartbeat)
        frame.id = 1
        try send(frame.encoded())
    }

    /// Reports what has arrived, in a heartbeat that the host does not answer.
    /// - Parameter mark: the host's mark to return.
    package func report(received: UInt64? = nil, mark: UInt64? = nil) throws {
        try send(Frame(.heartbeat).encoded(payload: Heartbeat(received: received ?? self.received, mark: mark)))
    }

    package func send(parts: [[UInt8]]) throws {
        try port?.withSocket { socket throws(ZeroMQError) in
            for (index, part) in parts.enumerated() { try socket.send(part, more: index < parts.count - 1) }
        }
    }

    package func subscribe(_ topic: [UInt8]) throws {
        try port?.withSocket { socket throws(ZeroMQError) in try socket.subscribe(topic) }
    }

    package func unsubscribe(_ topic: [UInt8]) throws {
        try port?.withSocket { socket throws(ZeroMQError) in try socket.unsubscribe(topic) }
    }

    /// Waits for the next frame. Skips heartbeats that answer none, because the host sends them when the machine is busy.
    package func next() async throws -> Frame {
        while true {
            let (frame, message) = try await take()
            if frame.kind == .heartbeat, frame.id == 0 { continue }
            if message != lastMessage { messageCount += 1 }
            lastMessage = message
            return frame
        }
    }

    /// Waits for the next frame, whatever it is.
    package func nextOfAnyKind() async throws -> Frame { try await take().frame }

    /// Waits for a heartbeat that answers none. The host sends it to say that it is alive, or how much it has received.
    package func nextUnsolicitedHeartbeat() async throws {
        while true {
            let frame = try await take().frame
            if frame.kind == .heartbeat, frame.id == 0 { return }
        }
    }

    // Swift 6.3 crashes when it inlines this into another asynchronous function of a release build.
    @inline(never)
    private func take() async throws -> (frame: Frame, message: Int) {
        // Each call makes a new iterator, which holds no elements itself: unread frames stay in the stream.
        var iterator = frames.makeAsyncIterator()
        guard let (bytes, message) = await iterator.next(isolation: MainActor.shared) else { throw CancellationError() }
        let frame = try Frame(bytes[...], &texts, names: texts.names.count)
        if frame.kind == .welcome { received = 0 }
        received += UInt64(bytes.count)
        if frame.kind == .welcome {
            let welcome = try frame.decodePayload(as: Welcome.self)
            texts.names = NameTable(welcome.names ?? [])
            onWelcome?(welcome)
        }
        return (frame, message)
    }

    /// Waits for the next frame of a kind and skips others.
    /// - Throws: `NotReached` when the host has ended the link instead: nothing else comes then.
    package func next(_ kind: FrameKind) async throws -> Frame {
        while true {
            let frame = try await next()
            if frame.kind == kind { return frame }
            guard frame.kind != .refusal else {
                let refusal = try frame.decodePayload(as: Refusal.self)
                throw NotReached(description: "a refusal came instead of a \(kind.name): \(refusal)")
            }
        }
    }

    /// Waits for the next request with a name and skips other frames.
    package func next(_ request: String) async throws -> Frame {
        while true {
            let frame = try await next(.request)
            if frame.name == request { return frame }
        }
    }

    /// Sends a hello and waits for the reply.
    package func hello(
        _ name: String, role: PeerRole = .plugin, versions: ProtocolVersionRange = .current, handles: [String] = [],
        provides: [String] = [], endpoint: String = "", credits: Int? = nil, life: UInt64? = nil, batch: Int? = nil,
        names: Int? = nil
    ) async throws -> Frame {
        while true {
            try sendHello(
                name, role: role, versions: versions, handles: handles, provides: provides, endpoint: endpoint,
                credits: credits, life: life, batch: batch, names: names)
            let answer = try await next()
            // On a busy machine, the host may refuse the peer at first and accept it a moment later.
            guard answer.kind == .refusal, try answer.decodePayload(as: Refusal.self).code == .busy else {
                return answer
            }
        }
    }

    package func sendHello(
        _ name: String, role: PeerRole, versions: ProtocolVersionRange = .current, handles: [String] = [],
        provides: [String] = [], endpoint: String = "", credits: Int? = nil, life: UInt64? = nil, batch: Int? = nil,
        names: Int? = nil
    ) throws {
        let hello = Hello(
            role: role, peer: name, pid: 1, life: life, endpoint: endpoint, versions: versions, handles: handles,
            provides: provides, credits: credits, batch: batch, names: names, actors: true)
        try send(Frame(.hello).encoded(payload: hello))
    }

    package func close() {
        port?.close()
        port = nil
    }

    isolated deinit { port?.close() }
}
