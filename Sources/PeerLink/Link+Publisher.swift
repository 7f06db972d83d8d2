import Bus
import ZeroMQ

/// The subscription to the host's publisher, from which changes of the container come.
extension Link {
    func subscribe(_ welcome: Welcome) {
        if self.welcome == nil {
            self.welcome = welcome
            snapshotAssembly = SnapshotAssembly()
            replica.linkOpened(epoch: welcome.epoch)
        }
        subscriber?.close()
        var options = SocketOptions()
        // Messages above the limit are lost, and the peer requests what is then missing from its copy of the container.
        // Without a limit, a process that hangs would use more and more memory.
        options.receiveHighWaterMark = 2000
        options.sendHighWaterMark = 0
        options.usesIPv6 = configuration.endpoint.contains("[")
        options.security = security?.ofSockets
        let publisher = HostEndpoint.resolve(publisher: welcome.publisher, connectedTo: configuration.endpoint)
        guard configuration.security == nil || publisher.hasPrefix("tcp://") else {
            drops["subscribe: an address without keys", default: 0] += 1
            return
        }
        do {
            try PrivateFolder.check(endpoint: publisher)
        } catch {
            // Not the description, which has a path that the host chooses.
            drops["subscribe: \(error.code)", default: 0] += 1
            return
        }
        do {
            let socket = try Socket(.subscriber, in: configuration.context, options: options)
            try socket.connect(publisher)
            // Subscriptions arrive in lexicographic order: the first beacon shows that deltas arrive, too.
            try socket.subscribe(Frame.topic(.delta))
            try socket.subscribe(Frame.topic(.beacon))
            subscriber = SocketPort(socket) { [weak self] in self?.receivedPublished($0) }
        } catch {
            drops["subscribe: \(error.reason)", default: 0] += 1
        }
    }

    /// Handles a message from the publisher.
    private func receivedPublished(_ message: SocketMessage) {
        guard !message.isMalformed else { return dropMalformed() }
        let now = MonotonicInstant.now
        var frames = ReceivedFrames(message.bytes)
        while let bytes = frames.next() {
            taking { () throws(FrameError) in try receivedPublished(Frame(bytes, &traffic.texts, names: 0), at: now) }
        }
    }

    private func receivedPublished(_ frame: Frame, at now: MonotonicInstant) throws(FrameError) {
        traffic.machine.heardPublisher(at: now)
        // A subscription outlives the host. The next host's changes do not fit the previous host's container.
        switch frame.kind {
        case .delta where frame.epoch == welcome?.epoch:
            perform(
                replica.received(
                    delta: DependencyChange(
                        entries: try DependencyPayload.decodeFromHost(frame.payload), revision: frame.revision,
                        previous: frame.previous), at: now))
        case .beacon where frame.epoch == welcome?.epoch:
            perform(replica.received(beacon: frame.revision, at: now))
        case .delta, .beacon: break
        default: throw FrameError(.unknownKind, "a \(frame.kind.name) is not published for peers")
        }
    }
}
