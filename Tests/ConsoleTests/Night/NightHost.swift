// A build without the trait has no console.
#if Console
    import Bus
    import CBOR
    import Messaging
    import SceneContent

    /// A host in memory, which counts what it is asked. Its scenes change when a test says so.
    @MainActor
    final class NightHost: ForwardingResponder {
        /// How long a watcher waits for a change.
        private static let patience = Duration.seconds(20)

        private struct Watcher {
            let session: String
            let since: Duration
            let answer: CheckedContinuation<Void, Never>
        }

        private let clock: NightClock
        private var watchers: [Watcher] = []
        /// How often each open session's scene has changed.
        private var changes: [String: UInt64]
        /// How many messages of each name have come.
        private(set) var messages: [String: Int] = [:]
        /// The acts that wait for a scene which does not answer.
        private var waitingActs: [CheckedContinuation<Void, any Error>] = []
        /// What requests of a name are answered instead of being handled.
        var failures: [String: MessageError] = [:]
        /// The sessions whose scenes answer no act.
        private var hung: Set<String> = []
        /// The sessions at whose scenes somebody looks at a terminal.
        var atTerminals: Set<String> = []
        /// Whether the scenes run, so that they have pictures.
        var hasPictures = true
        /// What each scene shows below its title, and the bytes of images, by their hashes.
        var blocks: [(key: String, node: ContentNode)] = []
        var images: [String: [UInt8]] = [:]
        /// The values of the container's entries.
        var entries: [String: [UInt8]] = [:]
        /// The links with which sessions were opened.
        private(set) var links: [DeepLink] = []

        init(_ clock: NightClock, open sessions: [String]) {
            self.clock = clock
            changes = Dictionary(uniqueKeysWithValues: sessions.map { ($0, 1) })
        }

        var openSessions: Set<String> { Set(changes.keys) }

        /// How many ask for changes at this moment.
        var watcherCount: Int { watchers.count }

        /// How many acts wait at this moment.
        var waitingActCount: Int { waitingActs.count }

        /// Has a session's scene answer no act any more.
        func hang(_ session: String) { hung.insert(session) }

        /// Has all scenes answer again, those acts that wait with an error.
        func answerActs(throwing error: (any Error)? = nil) {
            hung = []
            for act in waitingActs { act.resume(with: error.map { .failure($0) } ?? .success(())) }
            waitingActs = []
        }

        /// Has a scene change.
        func change(_ session: String) {
            changes[session, default: 0] += 1
            answer { $0.session == session }
        }

        /// Answers those who have waited for long.
        func tick() {
            let now = clock.passed
            answer { now - $0.since >= Self.patience }
        }

        private func answer(_ isMeant: (Watcher) -> Bool) {
            let meant = watchers.filter(isMeant)
            watchers.removeAll(where: isMeant)
            for watcher in meant { watcher.answer.resume() }
        }

        override func send<M: ResponderRequest>(_ message: M, context: MessageContext) async throws -> M.Reply {
            messages[M.name, default: 0] += 1
            if let failure = failures[M.name] { throw failure }
            guard let reply = try await reply(to: message) as? M.Reply else {
                throw MessageError(.unhandled, message: M.name)
            }
            return reply
        }

        private func reply(to message: any ResponderRequest) async throws -> Any? {
            switch message {
            case is HostMessagesList.hostStatus:
                return HostStatus(
                    name: "night", pid: 1, epoch: 1, uptimeSeconds: clock.passed / .seconds(1), endpoints: [],
                    revision: 1, openSessions: changes.count, connectedScenes: changes.count, linkCount: 1,
                    counters: ["frames in": 1, "frames out": 1], unhandledPosts: [:], problems: [])
            case is HostMessagesList.hostSessions:
                return SessionList(sessions: try changes.keys.sorted().map(status), next: nil)
            case is HostMessagesList.hostWorkers:
                let worker = WorkerStatus(
                    worker: "w", pid: 2, software: "", scenes: ["Desk"], capacity: 9, sessions: changes.count,
                    ending: 0,
                    isDraining: false)
                return WorkerList(workers: [worker], next: nil)
            case is HostMessagesList.hostPlugins: return PluginList(plugins: [], next: nil)
            case let message as HostMessagesList.hostDependency:
                // The reply takes its way.
                await Task.yield()
                let entry = entries[message.key].map {
                    DependencyStatus(key: message.key, value: $0, revision: 1, owner: "w")
                }
                return entry as Any
            case is HostMessagesList.hostDependencies: return DependencyPage(entries: [], next: nil)
            case let message as HostMessagesList.hostSession: return try status(of: message.session)
            case let message as HostMessagesList.hostOpenSession:
                let session = message.session ?? ""
                if let link = message.link { links.append(try CBORDecoder().decode(DeepLink.self, from: link.bytes)) }
                changes[session] = 1
                return try status(of: session)
            case let message as HostMessagesList.hostCloseSession:
                changes[message.session] = nil
                answer { $0.session == message.session }
                return NoReply()
            case let message as HostMessagesList.hostScenePerform:
                if hung.contains(message.session) {
                    try await withCheckedThrowingContinuation { waitingActs.append($0) }
                }
                return NoReply()
            case let message as HostMessagesList.hostSceneImage:
                guard let bytes = images[message.hash] else {
                    throw RemoteError(SceneCommandError(.refused, "the scene shows no image with this hash"))
                }
                return CBORBytes(bytes)
            case let message as HostMessagesList.hostSceneWatch:
                return try await news(of: message.session, after: message.known)
            default: return nil
            }
        }

        private func status(of session: String) throws -> SessionStatus {
            guard changes[session] != nil else { throw RemoteError(SceneCommandError.unknownSession(session)) }
            return SessionStatus(
                session: session, configuration: "Desk", role: "", worker: "w", pid: 2, token: 1, state: .running,
                problem: nil)
        }

        private func news(of session: String, after known: SceneRevision?) async throws -> SceneNews {
            if let known, known.number == changes[session] {
                await withCheckedContinuation { answer in
                    watchers.append(Watcher(session: session, since: clock.passed, answer: answer))
                }
            }
            _ = try status(of: session)
            let number = changes[session] ?? 0
            let layer = ContentLayer(key: "desk", title: "Change \(number) of \(session)", blocks: blocks)
            let update = SceneUpdate(
                revision: SceneRevision(token: 1, number: number),
                content: SceneLayers(hasPictures ? [layer] : []))
            return SceneNews(
                update: number == known?.number ? nil : update, state: hasPictures ? .running : .waiting,
                problem: nil, since: 1, company: company(of: session))
        }

        private func company(of session: String) -> SceneCompany? {
            guard atTerminals.contains(session) else { return nil }
            return SceneCompany(number: 1, watchers: SceneWatchers([SceneWatcher(surface: "terminal")]))
        }
    }
#endif
