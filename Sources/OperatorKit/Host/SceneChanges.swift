package import Bus
import Glibc
package import Messaging
public import SceneContent

/// What a scene shows, and how its session is.
public struct WatchedScene: Hashable, Sendable {
    /// The session.
    public let session: String
    /// What the scene shows, or showed last; nothing before the first picture.
    public package(set) var layers = SceneLayers()
    /// What has changed since the element before; `nil` if it must be drawn anew.
    public package(set) var difference: ContentDifference?
    /// The session's state; `nil` while the host is away.
    public package(set) var state: RemoteSession.State?
    /// Why the scene does not run; `nil` when there is no problem.
    public package(set) var problem: String?
    /// Since when it is in this state, in seconds since 1970.
    public package(set) var since: Double = 0
    /// Who else watches the scene.
    package var company = SceneWatchers()

    /// Who else watches the scene, such as "Mei" or "desk (terminal)": at most 16. A name is that of a user or a key, which the
    /// host attests. Where the scene is seen is what whoever watches says: alone, or in quotation marks, it is no user's name.
    public var others: [String] { company.named.map(\.text) }
    /// How many watch beside those and this program.
    public var furtherOthers: Int { company.more }

    /// Whether the picture is that of a running scene, and not an older one.
    public var isLive: Bool { state == .running }

    public init(session: String) { self.session = session }
}

/// What a scene shows, as elements that come when it has changed, or when the state of its session has.
///
/// A picture that is not read in time is skipped: the next element has what has changed since the one that was read. While
/// the host is away, an element says so, and the sequence goes on when it is back.
public struct SceneChanges: AsyncSequence, Sendable {
    /// Returns why the link to the host has ended for good; `nil` while it may come back.
    package typealias End = @MainActor @Sendable () -> (any Error)?

    private let session: String
    private let viewers: SceneViewers?
    private let chain: ResponderChain
    private let end: End

    /// Watches a scene.
    /// - Parameters:
    ///   - viewers: who sees the scene here, as others who watch are told; `nil` not to be told of others.
    ///   - chain: a chain to the host.
    ///   - end: returns why the link has ended for good.
    package init(
        of session: String, for viewers: SceneViewers? = nil, over chain: ResponderChain,
        until end: @escaping End = { nil }
    ) {
        self.session = session
        self.viewers = viewers
        self.chain = chain
        self.end = end
    }

    public func makeAsyncIterator() -> Iterator { Iterator(session: session, viewers: viewers, chain: chain, end: end) }

    public struct Iterator: AsyncIteratorProtocol {
        private let viewers: SceneViewers?
        private let chain: ResponderChain
        private let end: End
        private var scene: WatchedScene
        /// The number of what is known of others who watch.
        private var company: UInt64?
        private var known: SceneRevision?
        private var state: SessionState?

        /// How long the host may take to answer: it does so after a while, also if nothing has changed.
        private static let timeout = Duration.seconds(40)
        /// The time between two attempts while the host is away.
        private static let pause = Duration.milliseconds(500)

        init(session: String, viewers: SceneViewers?, chain: ResponderChain, end: @escaping End) {
            self.viewers = viewers
            self.chain = chain
            self.end = end
            scene = WatchedScene(session: session)
        }

        /// Waits for the next change.
        /// - Throws: ``RemoteError`` if the session is not open, or was closed; ``MessageError`` if the host refuses to show
        ///   it; ``ExitCoded`` if it refuses the link for good; `CancellationError` when the task is cancelled.
        @MainActor
        public mutating func next() async throws -> WatchedScene? {
            while true {
                do {
                    if let news = try await ask(), take(news) { return scene }
                } catch let error as MessageError
                    where [.peerLost, .timeout, .draining, .overloaded].contains(error.code)
                {
                    if let end = end() { throw end }
                    if takeAway() { return scene }
                    try await Task.sleep(for: Self.pause)
                }
            }
        }

        /// - Returns: `nil` if the viewers have changed, so that the host must be asked with the new ones.
        @MainActor
        private func ask() async throws -> SceneNews? {
            let (chain, session, known, state) = (chain.within(Self.timeout), scene.session, known, state)
            let (problem, company) = (scene.problem, company)
            func ask(_ watchers: SceneWatchers?) async throws -> SceneNews {
                try await chain.hostSceneWatch(
                    session: session, known: known, state: state, problem: problem, watchers: watchers,
                    company: company)
            }
            guard let viewers else { return try await ask(nil) }
            return try await viewers.ask { try await ask($0) }
        }

        /// - Returns: whether the host has said something new.
        private mutating func take(_ news: SceneNews) -> Bool {
            let before = scene
            scene.difference = ContentDifference(node: .map([:]))
            if let update = news.update {
                if let content = update.content {
                    // Whoever keeps earlier pictures has in memory once what they have in common.
                    scene.layers = content.sharing(with: scene.layers)?.layers ?? content
                    scene.difference = nil
                    known = update.revision
                } else if let difference = update.difference {
                    do {
                        scene.layers = try scene.layers.applying(difference)
                        scene.difference = difference
                        known = update.revision
                    } catch {
                        // Ask for the whole.
                        known = nil
                        return false
                    }
                } else {
                    known = update.revision
                }
            }
            state = news.state
            scene.state = RemoteSession.State(news.state)
            scene.problem = news.problem
            scene.since = news.since
            if let told = news.company {
                company = told.number
                // Another process may have sent anything.
                scene.company = told.watchers.bounded
            }
            return scene.company != before.company || scene.layers != before.layers || scene.state != before.state
                || scene.problem != before.problem
        }

        /// - Returns: whether it was not known that the host is away.
        private mutating func takeAway() -> Bool {
            guard scene.state != nil || scene.since == 0 else { return false }
            state = nil
            scene.state = nil
            scene.problem = nil
            (company, scene.company) = (nil, SceneWatchers())
            scene.difference = ContentDifference(node: .map([:]))
            scene.since = Double(time(nil))
            return true
        }
    }
}

extension RemoteHost {
    /// What the scene of a session shows, as elements that come when it has changed.
    ///
    ///     for try await scene in host.sceneChanges(of: id) { draw(scene.layers) }
    public func sceneChanges(of session: String) -> SceneChanges {
        SceneChanges(of: session, for: SceneViewers(on: "program"), over: chain) { [client] in
            if let refusal = client.refusal { return refusal }
            return client.isClosed ? MessageError(.peerLost, message: HostMessagesList.hostSceneWatch.name) : nil
        }
    }
}
