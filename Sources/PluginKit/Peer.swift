package import Bus
package import Messaging
import Glibc
package import PeerLink
package import Logging
import ServiceLifecycle
import ZeroMQ

/// What plugins and scene workers have in common: one link, the copy of the container, the messages that they handle, and
/// an end when they are told, when their parent is gone, or when the host refuses them.
@MainActor
package final class Peer: Service {
    package let link: Link
    package let receiver = MessageReceiver()
    package let responder: LinkResponder
    package let logger: Logger
    /// Where incoming messages begin to climb.
    package var first: Responder?
    /// Called with the container after each change.
    package var onDependencies: (@MainActor (AppDependency) -> Void)?
    package var onReady: (@MainActor (Welcome) -> Void)?
    package var onLost: (@MainActor (LinkMachine.Loss) -> Void)?
    /// Called when the host ends, before the link answers its goodbye.
    package var onHostEnding: (@MainActor () -> Void)?
    /// Called before the link says goodbye.
    package var onStop: (@MainActor () -> Void)?
    /// The copy of the host's container.
    package private(set) var dependencies = AppDependency()

    private let hasParent: Bool
    private var parentWatch: DescriptorSource?
    private var end: AsyncStream<Result<Void, any Error>>.Continuation?

    package init(_ configuration: LinkConfiguration, hasParent: Bool, logger: Logger) {
        link = Link(configuration)
        responder = LinkResponder(link)
        self.hasParent = hasParent
        self.logger = logger
    }

    /// The peers of this process that run. Two of one name would take the link from each other without end: the host takes the
    /// second for the first, which has come back.
    private static var running: Set<Identity> = []

    private struct Identity: Hashable {
        let host: String
        let context: ObjectIdentifier
        let name: String
    }

    /// Runs until the process is told to end.
    /// - Throws: ``AttachmentRefused`` when the host refuses this peer for good, ``AttachmentUnsafe`` when another user could
    ///   listen in its place, ``NameTaken`` when this process runs another
    ///   of its name.
    package func run() async throws {
        let configuration = link.configuration
        let identity = Identity(
            host: configuration.endpoint, context: ObjectIdentifier(configuration.context), name: configuration.peer)
        do {
            try PrivateFolder.check(endpoint: configuration.endpoint)
        } catch  where error.code != .missing {
            throw AttachmentUnsafe(reason: error.description)
        } catch {
            // No host runs yet.
        }
        guard Self.running.insert(identity).inserted else { throw NameTaken(name: configuration.peer) }
        defer { Self.running.remove(identity) }
        let (ends, end) = AsyncStream<Result<Void, any Error>>.makeStream()
        self.end = end
        // Of several peers in one process the first reaches the services of others.
        let reachesServices = ServiceDirectory.shared.remote == nil
        if reachesServices { ServiceDirectory.shared.remote = { [link] in LinkResponder(link, service: $0) } }
        defer { if reachesServices { ServiceDirectory.shared.remote = nil } }
        connectHandlers()
        if hasParent { watchParent() }
        link.start()
        let result = await withTaskCancellationOrGracefulShutdownHandler {
            var iterator = ends.makeAsyncIterator()
            return await iterator.next()
        } onCancelOrGracefulShutdown: {
            end.yield(.success(()))
        }
        onStop?()
        link.stop()
        // What went on when a link was lost ends with the peer.
        receiver.cancelAll()
        parentWatch?.cancel()
        try result?.get()
    }

    private func connectHandlers() {
        link.handlers.ready = { [weak self] welcome in
            self?.logger.info("attached", metadata: ["host.pid": "\(welcome.pid)", "link": "\(welcome.link)"])
            self?.onReady?(welcome)
        }
        link.handlers.ending = { [weak self] in self?.onHostEnding?() }
        link.handlers.lost = { [weak self] loss in
            guard loss != .stopped else { return }
            self?.logger.warning("lost the host; trying again", metadata: ["reason": "\(loss)"])
            self?.onLost?(loss)
        }
        link.handlers.refused = { [weak self] refusal in
            self?.end?.yield(.failure(AttachmentRefused(reason: refusal.reason)))
        }
        link.handlers.dependencies = { [weak self] in self?.apply($0) }
        link.handlers.knownKeys = { [weak self] in Set(self?.dependencies.keys ?? []) }
        link.handlers.request = { [weak self] frame in
            guard let self else { return }
            let generation = link.generation
            guard receiver.runningCount < link.configuration.maximumRequests else {
                let error = MessageError(
                    .overloaded, message: frame.name, detail: "\(receiver.runningCount) requests are being handled")
                return link.reply(to: frame, of: generation, with: .failure(error))
            }
            receiver.receive(
                frame, link: generation, at: first(for: frame), timeLeft: link.timeLeft(of: frame)
            ) { [weak self] in
                self?.link.reply(to: frame, of: generation, with: $0)
            }
        }
        link.handlers.post = { [weak self] frame in
            guard let self else { return }
            do {
                try receiver.receive(post: frame, at: first(for: frame))
            } catch {
                link.drops["post that was not handled", default: 0] += 1
                logger.warning("a post was not handled", metadata: ["message": "\(frame.name)", "error": "\(error)"])
            }
        }
        link.handlers.cancelled = { [weak self] in
            guard let self else { return }
            receiver.cancel($0, link: link.generation)
        }
    }

    private func first(for frame: Frame) -> Responder? {
        frame.serviceName.map { ServiceDirectory.shared.localResponder(for: String($0)) } ?? first
    }

    private func apply(_ action: DependencyReplica.Action) {
        switch action {
        case .apply(let entries):
            for (key, value) in entries { dependencies.setEncoded(value, of: key) }
        case .synchronize:
            return
        }
        onDependencies?(dependencies)
    }

    /// The host holds the other end of standard input: its end, by whatever cause, is an end of file here.
    private func watchParent() {
        parentWatch = DescriptorSource(STDIN_FILENO) { [weak self] in
            var buffer: (UInt64, UInt64) = (0, 0)
            if read(STDIN_FILENO, &buffer, 16) <= 0 {
                self?.parentWatch?.cancel()
                self?.end?.yield(.success(()))
            }
        }
    }
}

/// Two peers of one process have the same name.
package struct NameTaken: ExitCoded, CustomStringConvertible {
    package let name: String
    package let exitCode: Int32 = 4

    package var description: String { "this process runs another '\(name)' already: give each an id of its own" }
}

/// Somebody else than this user's host could listen at the host's address.
package struct AttachmentUnsafe: ExitCoded, CustomStringConvertible {
    package let reason: String
    package let exitCode: Int32 = 4

    package var description: String { "does not attach: \(reason)" }
}

/// The host refused this process for good.
package struct AttachmentRefused: ExitCoded, CustomStringConvertible {
    package let reason: String
    package let exitCode: Int32 = 4

    package var description: String { "the host refused: \(reason)" }
}
