import Bus
import CoordinatorKit
import Logging
import Store
import ZeroMQ

/// The open sessions, and which worker runs the scene of each.
///
/// A session belongs to the host: it outlives its scene, its worker and the host's process.
@MainActor
final class SessionBook {
    /// One open session.
    @MainActor
    final class Session {
        var record: SessionRecord
        var worker: HostLink?
        /// The right of the present scene to speak for the session: larger for each scene.
        var token: UInt64 = 0
        var isPlacing = false
        /// What its next scene opens.
        var links: [DeepLink] = []
        var retry = Retry()
        /// A worker went while it made the scene: perhaps it was the scene that ended it, and would end the next one too.
        var lostItsWorker = false
        var problem: String? = "no worker has taken it yet"

        init(_ record: SessionRecord) {
            self.record = record
        }

        var status: SessionStatus {
            SessionStatus(
                session: record.id, configuration: record.configuration, role: record.role, worker: worker?.name,
                pid: worker?.hello.pid, token: token,
                problem: isPlacing ? "its scene is being made" : worker == nil ? problem : nil)
        }
    }

    private(set) var sessions: [Session] = []
    private let writer: StoreWriter
    private let router: RequestRouter
    private let server: BusServer
    private let configuration: HostConfiguration
    private let logger: Logger
    private var nextToken: UInt64
    private var isEnding = false
    private lazy var timer = LoopTimer { [weak self] in self?.retry() }
    /// Sessions whose state is not yet on the disk; written by one task at a time, in order.
    private var unsaved: Set<String> = []
    /// Sessions that are about to be forgotten: a state that is written now would bring them back.
    private var closing: Set<String> = []
    /// The last position that was given: two sessions that are opened at a time have different ones.
    private var lastPosition: Int64 = 0
    private var saving: Task<Void, Never>?
    private var storeRetry = Retry()

    init(
        writer: StoreWriter, router: RequestRouter, server: BusServer, configuration: HostConfiguration, logger: Logger
    ) {
        self.writer = writer
        self.router = router
        self.server = server
        self.configuration = configuration
        self.logger = logger
        // Tokens of a later life of the host are larger than those of an earlier one.
        nextToken = server.epoch << 20
    }

    func load() async throws {
        sessions = try await writer.store.sessions().map(Session.init)
        lastPosition = sessions.last?.record.position ?? 0
    }

    func session(_ id: String) throws -> Session {
        guard let session = sessions.first(where: { $0.record.id == id }) else {
            throw SceneCommandError(
                code: "unknownSession", "there is no open session '\(id)'; 'scenebus sessions ls' lists them")
        }
        return session
    }

    var connectedCount: Int { sessions.count { $0.worker != nil } }

    func sessions(of link: HostLink) -> [String] {
        sessions.filter { $0.worker === link }.map(\.record.id)
    }

    // MARK: - Opening and closing

    /// Opens a session, and gives it a scene when a worker can take it.
    /// - Parameter configuration: its scene configuration; `nil` for the only one that is offered.
    func open(configuration: String?, role: String, links: [DeepLink]) async throws -> Session {
        let offered = Set(server.links.values.flatMap(\.hello.scenes)).sorted()
        guard let name = configuration ?? (offered.count == 1 ? offered.first : nil) else {
            throw SceneCommandError(
                code: "unknownConfiguration",
                "name a scene configuration; workers offer: \(offered.isEmpty ? "none" : offered.joined(separator: ", "))"
            )
        }
        if !offered.isEmpty, !offered.contains(name) {
            throw SceneCommandError(
                code: "unknownConfiguration",
                "no worker offers '\(name)'; there are: \(offered.joined(separator: ", "))")
        }
        lastPosition += 1
        let session = Session(
            SessionRecord(
                id: Application.newIdentifier(), role: role, configuration: name, position: lastPosition))
        try await writer.write(.saveSessions([session.record]))
        session.links = links
        sessions.append(session)
        await place(session)
        return session
    }

    /// Closes a session for good.
    func close(_ id: String) async throws {
        let session = try session(id)
        closing.insert(id)
        defer {
            closing.remove(id)
            saveUnsaved()
        }
        // What is being written is written before.
        await saving?.value
        try await writer.write(.deleteSession(id))
        sessions.removeAll { $0 === session }
        unsaved.remove(id)
        guard let worker = session.worker else { return }
        session.worker = nil
        _ = try? await router.send(
            SceneMessagesList.sceneDisconnect(session: id), to: worker, session: id, token: session.token,
            timeout: configuration.placementTimeout)
        await placeAll()
    }

    // MARK: - Placing

    /// Gives every session without a scene one, as far as workers have room.
    func placeAll() async {
        guard !isEnding else { return }
        for session in sessions where session.worker == nil && !session.isPlacing {
            // One whose worker went waits for its own time, whoever has room.
            if session.lostItsWorker, session.retry.due != nil { continue }
            await place(session)
        }
    }

    /// Tries again what could not be placed.
    private func retry() {
        let now = ContinuousClock.now
        if storeRetry.due.map({ $0 <= now }) ?? false { saveUnsaved() }
        let failed = sessions.filter { $0.retry.due.map { $0 <= now } ?? false }
        // Those that have not failed come first: what a failing one leaves may be room for another.
        let others = failed.isEmpty ? [] : sessions.filter { $0.worker == nil && $0.retry.due == nil }
        for session in failed { session.retry.begin() }
        for session in others + failed { Task { await place(session) } }
        armTimer()
    }

    private func armTimer() {
        guard !isEnding, let next = (sessions.map(\.retry.due) + [storeRetry.due]).compactMap({ $0 }).min() else {
            return timer.cancel()
        }
        if timer.deadline != next { timer.set(for: next) }
    }

    /// The host ends: what its workers give up is placed nowhere else.
    func stopPlacing() {
        isEnding = true
        timer.cancel()
    }

    private func place(_ session: Session) async {
        guard session.worker == nil, !session.isPlacing, !isEnding else { return }
        guard let worker = freeWorker(for: session.record.configuration) else {
            session.problem = "no worker that offers '\(session.record.configuration)' has room"
            return
        }
        session.isPlacing = true
        session.retry.begin()
        defer {
            session.isPlacing = false
            armTimer()
        }
        nextToken += 1
        session.token = nextToken
        session.worker = worker
        let record = session.record
        do {
            _ = try await router.send(
                SceneMessagesList.sceneConnect(
                    session: record.id, role: record.role, configuration: record.configuration, token: session.token,
                    state: record.state, links: session.links),
                to: worker, session: record.id, token: session.token, timeout: configuration.placementTimeout)
            session.problem = nil
            session.links = []
            session.retry.succeeded()
            session.lostItsWorker = false
            logger.info("scene placed", metadata: ["session": "\(record.id)", "worker": "\(worker.name)"])
        } catch {
            if session.worker === worker { session.worker = nil }
            session.problem = "\(worker.name): \(error)"
            logger.warning(
                "a scene could not be placed",
                metadata: ["session": "\(record.id)", "worker": "\(worker.name)", "error": "\(error)"])
            let code = (error as? MessageError)?.code
            session.lostItsWorker = code == .peerLost
            // It may have made the scene since, which would be one too many where the next try goes elsewhere.
            if code == .timeout { withdraw(session, from: worker) }
            session.retry.failed(at: .now, configuration.retry)
        }
    }

    private func withdraw(_ session: Session, from worker: HostLink) {
        let (id, token) = (session.record.id, session.token)
        // Sent before anything else is: it must not come after the next placement on the same worker.
        Task.immediate {
            try? await router.send(
                SceneMessagesList.sceneDisconnect(session: id), to: worker, session: id, token: token,
                timeout: configuration.placementTimeout)
        }
    }

    /// The worker that offers a configuration and has the most room.
    private func freeWorker(for configuration: String) -> HostLink? {
        server.links.values
            .filter { $0.isSynchronized && $0.hello.scenes.contains(configuration) }
            .map { ($0, $0.hello.capacity - sessions(of: $0).count) }
            .filter { $0.1 > 0 }
            .max { ($0.1, $1.0.id) < ($1.1, $0.0.id) }?.0
    }

    /// A worker is gone: its sessions stay open, and run elsewhere when somebody has room.
    func detached(_ link: HostLink, reason: String) {
        for session in sessions where session.worker === link {
            session.worker = nil
            session.problem = "its worker \(link.name) is gone: \(reason)"
        }
    }

    // MARK: - State

    /// Keeps the state of a session's scene.
    /// - Throws: ``SceneCommandError`` when the sender no longer runs it.
    func checkpoint(_ id: String, state: UserActivity, token: UInt64) throws {
        let session = try session(id)
        guard token == session.token else {
            server.count("refused: stale fencing token")
            throw SceneCommandError(code: "staleToken", "session '\(id)' lives elsewhere by now")
        }
        guard session.record.state != state else { return }
        session.record.state = state
        unsaved.insert(id)
        saveUnsaved()
    }

    private func saveUnsaved() {
        guard saving == nil else { return }
        storeRetry.begin()
        saving = Task {
            while true {
                let records = sessions.map(\.record).filter { unsaved.contains($0.id) && !closing.contains($0.id) }
                guard !records.isEmpty else { break }
                unsaved.subtract(records.map(\.id))
                do {
                    try await writer.write(.saveSessions(records))
                    storeRetry.succeeded()
                } catch {
                    // Kept in memory: written with the next change, or after a wait.
                    unsaved.formUnion(records.map(\.id))
                    storeRetry.failed(at: .now, configuration.retry)
                    logger.error("session state cannot be written", metadata: ["error": "\(error)"])
                    break
                }
            }
            saving = nil
            armTimer()
        }
    }

    /// Waits until everything is on the disk.
    func end() async {
        saveUnsaved()
        await saving?.value
    }
}
