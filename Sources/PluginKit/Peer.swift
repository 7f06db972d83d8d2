package import Bus
package import Messaging
import Glibc
package import PeerLink
package import Logging
import ServiceLifecycle
import ZeroMQ
package import MessageHandling

/// The common part of plugins and scene workers: one link, a copy of the host's container, and the dispatch of incoming
/// messages.
///
/// A peer ends when it is cancelled or shut down, when the host that started it dies, or when the host refuses it.
@MainActor
package final class Peer: Service {
    package let link: Link
    package let receiver = MessageReceiver()
    package let responder: LinkResponder
    package let logger: Logger
    /// The first responder for incoming messages.
    package var first: Responder?
    /// The object that is notified of the peer's events.
    package weak var delegate: (any PeerDelegate)?
    /// The copy of the host's container.
    package private(set) var dependencies = AppDependency()

    private let hasParent: Bool
    private let services: ServiceDirectory
    private var parentWatch: ParentWatch?
    /// Ends ``run()``, with the error that it throws.
    private var end: AsyncStream<(any Error)?>.Continuation?
    /// Why the link was lost last, until it is ready again; `nil` while it is ready, and before it is lost.
    private var outage: LinkMachine.Loss?
    private var hasAttached = false

    package init(
        _ configuration: LinkConfiguration, hasParent: Bool, services: ServiceDirectory = .shared, logger: Logger
    ) {
        link = Link(configuration)
        responder = LinkResponder(link)
        self.hasParent = hasParent
        self.services = services
        self.logger = logger
    }

    /// The peers that run in this process.
    ///
    /// Two peers with the same name would take the link from each other endlessly, because the host treats the second
    /// one as a reconnect of the first.
    // Not a set: there are few, and the first use of a type of key searches all conformances of the process.
    private static var running: [Identity] = []

    private struct Identity: Equatable {
        let host: String
        let context: ObjectIdentifier
        let name: String
    }

    /// Runs until the task is cancelled, a graceful shutdown begins, or the host that started the process dies.
    /// - Throws: ``AttachmentRefused`` when the host refuses this peer permanently, ``AttachmentUnsafe`` when another
    ///   user could listen at the host's address, ``NameTaken`` when this process already runs a peer of this name.
    package func run() async throws {
        let configuration = link.configuration
        let identity = Identity(
            host: configuration.endpoint, context: ObjectIdentifier(configuration.context), name: configuration.peer)
        do {
            try PrivateFolder.check(endpoint: configuration.endpoint)
        } catch  where error.code != .missing {
            throw AttachmentUnsafe(reason: error.description)
        } catch {
            // The folder does not exist because no host runs yet.
        }
        guard !Self.running.contains(identity) else { throw NameTaken(name: configuration.peer) }
        Self.running.append(identity)
        defer { Self.running.removeAll { $0 == identity } }
        let (ends, end) = AsyncStream<(any Error)?>.makeStream()
        self.end = end
        // Of several peers in one process, only the first one provides access to remote services.
        let reachesServices = services.remote == nil
        if reachesServices { services.remote = { [link] in LinkResponder(link, service: $0) } }
        defer { if reachesServices { services.remote = nil } }
        link.delegate = self
        if configuration.endpoint.hasPrefix("tcp:"), configuration.security == nil {
            logger.warning(
                "attaching without keys: whoever answers at the address is taken for the host",
                metadata: ["host": "\(configuration.endpoint)"])
        }
        if hasParent { parentWatch = ParentWatch { end.yield(nil) } }
        link.start()
        let error = await withTaskCancellationOrGracefulShutdownHandler {
            var iterator = ends.makeAsyncIterator()
            return await iterator.next() ?? nil
        } onCancelOrGracefulShutdown: {
            end.yield(nil)
        }
        delegate?.peerWillEnd(self)
        link.stop()
        // Handlers continue when a link is lost, so cancel them here.
        receiver.cancelAll()
        parentWatch?.cancel()
        if let error { throw error }
    }
}

extension Peer: LinkDelegate {
    package func link(_ link: Link, isReady welcome: Welcome) {
        logger.log(
            level: outage == nil ? .info : .notice, "attached",
            metadata: ["host.pid": "\(welcome.pid)", "link": "\(welcome.link)"])
        outage = nil
        hasAttached = true
        delegate?.peerIsAttached(self)
    }

    package func link(_ link: Link, wasLost loss: LinkMachine.Loss) {
        guard loss != .stopped else { return }
        // Each attempt in vain is a loss. The first one of each reason is worth a line.
        let level = loss == outage ? Logger.Level.debug : .warning
        if hasAttached {
            logger.log(
                level: level, "lost the host; reconnecting",
                metadata: ["reason": "\(String(foreign: loss.description))"])
        } else {
            logger.log(
                level: level, "not attached to a host yet; retrying",
                metadata: ["host": "\(link.configuration.endpoint)", "reason": "\(String(foreign: loss.description))"])
        }
        outage = loss
        delegate?.peer(self, lost: loss)
    }

    package func link(_ link: Link, wasRefused refusal: Refusal) {
        end?.yield(AttachmentRefused(reason: refusal.reason))
    }

    package func hostIsEnding(_ link: Link) { delegate?.hostIsEnding(self) }

    package func link(_ link: Link, refused key: String, _ reason: String) {
        delegate?.peer(self, refused: key, reason)
    }

    package func knownKeys(_ link: Link) -> Set<String> { Set(dependencies.keys) }

    package func link(_ link: Link, changed action: DependencyReplica.Action) {
        switch action {
        case .apply(let entries):
            for (key, value) in entries { dependencies.setEncoded(value.map { Array($0) }, of: key) }
        case .synchronize:
            return
        }
        delegate?.peer(self, changed: dependencies)
    }

    package func link(_ link: Link, received request: Frame) {
        let generation = link.generation
        guard receiver.runningCount < link.configuration.maximumRequests else {
            let error = MessageError(
                .overloaded, message: request.name, detail: "\(receiver.runningCount) requests are being handled")
            return link.fail(request, of: generation, with: error)
        }
        receiver.receive(
            request, link: generation, at: first(for: request), timeLeft: link.timeLeft(of: request),
            from: link.requestSender)
    }

    package func link(_ link: Link, receivedPost post: Frame) {
        do {
            try receiver.receive(post: post, at: first(for: post))
        } catch {
            link.drops["post that was not handled", default: 0] += 1
            logger.warning(
                "a post was not handled",
                metadata: ["message": "\(String(foreign: post.name))", "error": "\(String(foreign: error))"])
        }
    }

    package func link(_ link: Link, cancelled id: UInt64) { receiver.cancel(id, link: link.generation) }

    /// The responder at which a message enters the chain.
    private func first(for frame: Frame) -> Responder? {
        frame.serviceName.map { services.localResponder(for: String($0)) } ?? first
    }
}

/// Receives the events of a peer. Every function has an empty default implementation.
@MainActor
package protocol PeerDelegate: AnyObject {
    /// The peer is attached, for the first time or again.
    func peerIsAttached(_ peer: Peer)
    /// The copy of the host's container has changed.
    func peer(_ peer: Peer, changed dependencies: AppDependency)
    /// The link to the host is lost. The peer tries to attach again by itself.
    func peer(_ peer: Peer, lost loss: LinkMachine.Loss)
    /// The host has refused an entry that this process has set.
    func peer(_ peer: Peer, refused key: String, _ reason: String)
    /// The host shuts down, and the link is about to reply to its goodbye.
    func hostIsEnding(_ peer: Peer)
    /// The peer ends, and its link is about to send goodbye.
    func peerWillEnd(_ peer: Peer)
}

extension PeerDelegate {
    package func peerIsAttached(_ peer: Peer) {}
    package func peer(_ peer: Peer, changed dependencies: AppDependency) {}
    package func peer(_ peer: Peer, lost loss: LinkMachine.Loss) {}
    package func peer(_ peer: Peer, refused key: String, _ reason: String) {}
    package func hostIsEnding(_ peer: Peer) {}
    package func peerWillEnd(_ peer: Peer) {}
}
