#if Console
    import Bus
    import ConsoleModel
    import ConsolePages
    import Messaging
    import NIOCore
    import OperatorKit

    /// Watches the scenes that pages show, each once.
    @MainActor
    final class SceneWatching {
        /// How long a page waits for the first picture.
        private static let firstTime = Duration.seconds(3)
        /// How long a page without a script waits for what an action has changed.
        private static let changeTime = Duration.milliseconds(500)

        private struct Watch {
            let channel: SceneChannel
            let visitors: SceneVisitors
            let task: Task<Void, Never>
        }

        private let clock: ConsoleClock
        private let chain: @MainActor () -> ResponderChain
        private let room = PictureRoom()
        private var shared = SharedScenes()
        private var watches: [String: Watch] = [:]

        /// - Parameter chain: returns the chain to the host.
        init(_ clock: ConsoleClock, over chain: @escaping @MainActor () -> ResponderChain) {
            self.clock = clock
            self.chain = chain
        }

        /// The sessions whose scenes somebody looks at, or did a moment ago.
        var sessions: Set<String> { Set(shared.sessions) }

        /// How many scenes wait for the time at which others are told who has come or gone.
        var waitingCount: Int { watches.values.count { $0.visitors.isWaiting } }

        /// Begins to show a scene.
        /// - Returns: `nil` if too many scenes are watched.
        func enter(_ session: String) -> SceneChannel? {
            switch shared.enter(session) {
            case .full: return nil
            case .join: return watches[session]?.channel
            case .begin: return begin(session)
            case .beginInstead(let other):
                stop(other)
                return begin(session)
            }
        }

        private func begin(_ session: String) -> SceneChannel {
            let channel = SceneChannel(session: session, now: clock.now, in: room) { ByteBuffer(string: $0) }
            let visitors = SceneVisitors(of: channel, clock)
            let task = Task { await watch(channel, for: visitors) }
            watches[session] = Watch(channel: channel, visitors: visitors, task: task)
            return channel
        }

        private func stop(_ session: String) {
            guard let watch = watches.removeValue(forKey: session) else { return }
            watch.task.cancel()
            watch.visitors.end()
        }

        /// Whether a scene is watched, and one of its last pictures has an image.
        func hasShown(image hash: String, in session: String) -> Bool {
            watches[session]?.channel.hasShown(image: hash) ?? false
        }

        /// Ends to show a scene.
        func leave(_ channel: SceneChannel) {
            // The session may have ended, and another one of its name may be watched.
            guard watches[channel.session]?.channel === channel else { return }
            shared.leave(channel.session, at: clock.now())
        }

        /// Returns who has a scene's pages open; `nil` if it is no longer watched.
        func visitors(of channel: SceneChannel) -> SceneVisitors? {
            watches[channel.session].flatMap { $0.channel === channel ? $0.visitors : nil }
        }

        private func watch(_ channel: SceneChannel, for visitors: SceneVisitors) async {
            do {
                for try await scene in SceneChanges(of: channel.session, for: visitors.viewers, over: chain()) {
                    channel.show(ScenePicture(scene))
                    visitors.show(elsewhere: scene.company)
                }
                end(channel, .closed)
            } catch is CancellationError {
                // Nobody looks any more.
            } catch let error as RemoteError where error.sceneCommandCode == .unknownSession {
                end(channel, .closed)
            } catch {
                end(channel, .failed(reason: error.words))
            }
        }

        private func end(_ channel: SceneChannel, _ end: SceneEnd) {
            channel.end(end)
            guard let watch = watches[channel.session], watch.channel === channel else { return }
            watch.visitors.end()
            watches[channel.session] = nil
            shared.end(channel.session)
        }

        /// Waits until a scene shows something, or does not run.
        /// - Returns: what it shows when the time is over; `nil` for nothing, or if it has ended.
        func first(of channel: SceneChannel) async -> (picture: ScenePicture, revision: String)? {
            await wait(for: channel, within: Self.firstTime) { channel.isSettled }
            return channel.newest
        }

        /// Waits a moment until a scene shows another picture than a known one, for a page that nobody tells when it comes.
        func change(of channel: SceneChannel, after revision: String?) async {
            await wait(for: channel, within: Self.changeTime) {
                channel.ended != nil || channel.newest?.revision != revision
            }
        }

        private func wait(for channel: SceneChannel, within limit: Duration, until isMet: () -> Bool) async {
            if isMet() { return }
            let (stream, signals) = channel.open(for: nil)
            let timeout = Task { [clock] in
                try await clock.sleep(limit)
                channel.close(stream)
            }
            defer {
                timeout.cancel()
                channel.close(stream)
            }
            for await _ in signals where isMet() { break }
        }

        /// Ends the watching of scenes that no page shows, and has the streams of the others say that they are alive.
        func beat() {
            for session in shared.takeUnused(at: clock.now()) { stop(session) }
            for watch in watches.values { watch.channel.beat() }
        }

        /// Ends the streams of a browser.
        func end(streamsOf owner: TokenDigest, _ text: String) {
            for watch in watches.values { watch.channel.end(of: owner, text) }
        }
    }

    extension ScenePicture {
        init(_ scene: WatchedScene) {
            let words = SessionWords(scene.state?.rawValue)
            self.init(
                layers: scene.layers, state: words.text, isLive: scene.isLive,
                since: scene.since > 0 ? scene.since : nil, problem: scene.problem, advice: words.advice)
        }
    }
#endif
