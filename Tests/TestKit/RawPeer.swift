package import Bus
package import ZeroMQ

/// A raw socket that sends whatever a test wants.
@MainActor
package final class RawPeer {
    private var port: SocketPort?
    /// The names of the last welcome, to which frames may refer by their index.
    private var texts = FrameTexts()
    private let messages: AsyncStream<[UInt8]>
    /// The number of ZeroMQ messages that have arrived, each with one frame or several.
    package private(set) var messageCount = 0

    package init(_ kind: Socket.Kind, endpoint: String, context: SocketContext) throws {
        let (messages, message) = AsyncStream<[UInt8]>.makeStream()
        self.messages = messages
        var options = SocketOptions()
        options.maximumMessageSize = -1
        options.linger = 1000
        let socket = try Socket(kind, in: context, options: options)
        try socket.connect(endpoint)
        port = SocketPort(socket) { [weak self] received in
            self?.messageCount += 1
            var frames = ReceivedFrames(received.bytes)
            while let frame = frames.next() { message.yield(Array(frame)) }
        }
    }

    package func send(_ bytes: [UInt8]) throws { try port?.send(bytes) }

    /// Sends a heartbeat that the host answers.
    package func sendHeartbeat() throws {
        var frame = Frame(.heartbeat)
        frame.id = 1
        try send(frame.encoded())
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

    /// Waits for the next frame.
    // Swift 6.3 crashes when it inlines this into another asynchronous function of a release build.
    @inline(never)
    package func next() async throws -> Frame {
        // Each call makes a new iterator, which holds no elements itself: unread frames stay in the stream.
        var iterator = messages.makeAsyncIterator()
        guard let bytes = await iterator.next(isolation: MainActor.shared) else { throw CancellationError() }
        let frame = try Frame(bytes[...], &texts, names: texts.names.count)
        if frame.kind == .welcome {
            texts.names = NameTable(try frame.decodePayload(as: Welcome.self).names ?? [])
        }
        return frame
    }

    /// Waits for the next frame of a kind and skips others.
    package func next(_ kind: FrameKind) async throws -> Frame {
        while true {
            let frame = try await next()
            if frame.kind == kind { return frame }
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
            provides: provides, credits: credits, batch: batch, names: names)
        try send(Frame(.hello).encoded(payload: hello))
    }

    package func close() {
        port?.close()
        port = nil
    }

    isolated deinit { port?.close() }
}
