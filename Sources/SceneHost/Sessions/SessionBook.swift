import Access
import Hub
import Bus
import CBOR
import CoordinatorKit
import Logging
import ZeroMQ
import Messaging

/// The open sessions and their workers. It carries out what ``SessionTable`` decides.
///
/// A session belongs to the host. It outlives its scene, its worker and the host's process.
@MainActor
final class SessionBook {
    /// Where a session's scene runs.
    struct Place {
        let worker: HubLink
        let token: UInt64
    }

    typealias Inputs = WaitingInputs<@MainActor (Result<Place, any Error>) -> Void>

    var table: SessionTable
    let writer: StoreWriter
    let hub: Hub
    /// The application whose sessions these are.
    let application: Application
    let configuration: HostConfiguration
    let logger: Logger
    /// The sessions that are being opened and are not in the table yet, with the requests that wait for each.
    var opening: [String: [CheckedContinuation<Void, Never>]] = [:]
    private lazy var timer = LoopTimer { [weak self] in self?.tick() }
    /// Called with the sessions whose phase has changed, or that were closed.
    var onChanges: (@MainActor (Set<String>) -> Void)?
    /// Inputs for scenes that are moving or about to be made, in their order.
    var inputs = Inputs()
    var lastInputOrder: UInt64 = 0
    /// The supervisor of the processes that this host starts.
    let plugins: PluginSupervisor?
    /// The names of the workers that this host starts and ends.
    private var ownWorkers: Set<String> = []

    /// The sessions that still have to be written; one task at a time writes them.
    var queue = SaveQueue()
    private var saving: Task<Void, Never>?
    private(set) var isEnding = false

    init(
        writer: StoreWriter, hub: Hub, plugins: PluginSupervisor?, application: Application,
        configuration: HostConfiguration, logger: Logger
    ) {
        self.application = application
        self.writer = writer
        self.hub = hub
        self.plugins = plugins
        self.configuration = configuration
        self.logger = logger
        table = SessionTable(epoch: hub.epoch, timing: .init(retry: configuration.retry))
    }

    /// Restores the sessions of earlier hosts, and marks the store as in use.
    /// - Parameter isClean: whether the last host shut down in order, so that no worker holds a scene.
    func load(isClean: Bool) async throws {
        let records = try await writer.store.sessions()
        table = await Self.take(records, isClean: isClean, into: table)
        for record in records { addToApplication(record) }
        logHeld(records)
        if queue.begin() { await save() }
    }

    /// Adds records to the table, off the main actor because many sessions would block the loop.
    @concurrent private nonisolated static func take(
        _ records: [SessionRecord], isClean: Bool, into table: SessionTable
    ) async -> SessionTable {
        var table = table
        table.take(records, isClean: isClean)
        return table
    }

    /// Starts to place sessions. Workers can attach from now on.
    /// - Parameters:
    ///   - isClean: the value that was passed to ``load(isClean:)``.
    ///   - workers: the names of the workers that this host starts.
    ///   - isLaterLife: whether a host has run on this store before.
    func begin(isClean: Bool, expecting workers: Set<String>, isLaterLife: Bool) {
        ownWorkers = workers
        table.begin(expecting: workers, isLaterLife: isLaterLife, at: .now)
        if isClean, !queue.isMarkedRunning { table.hold() }
        arm()
    }

    // MARK: - Status

    func session(_ id: String) throws -> SessionTable.Session {
        guard let session = table.sessions[id] else { throw SceneCommandError.notOpen(id) }
        return session
    }

    func status(of session: SessionTable.Session) -> SessionStatus {
        var reasons: [String: String] = [:]
        return status(of: session, reasons: &reasons)
    }

    /// - Parameter reasons: a cache, by configuration, of the reasons why no worker has room.
    func status(of session: SessionTable.Session, reasons: inout [String: String]) -> SessionStatus {
        let worker = session.phase.worker.flatMap { hub.links[$0] }
        return SessionStatus(
            session: session.id, configuration: session.record.configuration, role: session.record.role,
            worker: worker?.name, pid: worker?.hello.pid, token: session.token, state: session.state,
            problem: table.trouble(of: session, reasons: &reasons), isHeld: session.isHeld ? true : nil)
    }

    /// The number of sessions on a peer.
    func count(of link: HubLink) -> Int { table.workers[link.id]?.sessionCount ?? 0 }

    // MARK: - Workers

    func attached(_ link: HubLink) {
        guard link.hello.role == .worker else { return }
        perform(
            table.attached(
                link.id, link.hello.process, offers: Set(link.hello.scenes), capacity: link.hello.capacity,
                held: held(by: link),
                endsWithHost: ownWorkers.contains(link.name)
                    || link.access == nil && link.hello.endpoint.hasPrefix("inproc:"),
                sharer: link.sharer, key: link.access?.entry.name, at: .now))
    }

    /// The scenes that a worker has kept. A worker with a key has only such as it may run.
    private func held(by link: HubLink) -> [HeldScene] {
        let held = link.hello.held ?? []
        guard link.access != nil else { return held }
        return held.filter { scene in
            guard let session = table.sessions[scene.session] else { return true }
            return link.hello.scenes.contains(session.record.configuration)
        }
    }

    func synchronized(_ link: HubLink) {
        perform(table.synchronized(link.id, at: .now))
    }

    /// Updates the links that have been silent for longer than a heartbeat interval.
    func quiet(_ links: Set<UInt64>) {
        perform(table.quiet(links))
    }

    /// Gives suspects to a worker that has shown that it lives.
    func heard(_ link: HubLink) {
        guard !table.suspects.isEmpty else { return }
        perform(table.heard(link.id))
    }

    /// Extends the wait for workers after a peer was refused because too many attach at once. The peer may hold scenes
    /// for which a new host still waits.
    func refusedAsBusy() {
        table.stillArriving(at: .now)
        arm()
    }

    /// Handles a worker that has detached.
    /// - Parameter wasAskedToEnd: whether the host has told its process to end.
    func detached(_ link: HubLink, _ departure: Departure, wasAskedToEnd: Bool) {
        let isCrash = departure.mayBeCrash && !wasAskedToEnd
        perform(
            table.detached(
                link.id, reason: departure.description, isOver: departure.isOver, mayComeBack: departure.mayComeBack,
                isCrash: isCrash, crash: isCrash ? crash(of: link) : nil, at: .now))
    }

    /// Stops placing sessions when the host shuts down.
    func stopPlacing() {
        isEnding = true
        table.end()
        timer.cancel()
        failInputs()
    }

    private func tick() {
        let now = MonotonicInstant.now
        if let due = queue.due, due <= now { saveUnsaved() }
        waitForUnreadHellos(at: now)
        perform(table.tick(at: now))
    }

    /// Extends the wait for workers while their hellos may not have been read.
    func waitForUnreadHellos(at now: MonotonicInstant) {
        if table.mayComeBack(at: now), hub.isBehind(at: now) { table.stillArriving(at: now) }
    }

    func arm() {
        let due = [table.wantsTick ? .now : table.nextTick, queue.due, inputs.nextDeadline]
        guard !isEnding, let next = due.compactMap({ $0 }).min() else { return timer.cancel() }
        if timer.deadline != next { timer.set(for: next) }
    }

    // MARK: - Actions

    func perform(_ actions: [SessionTable.Action]) {
        for action in actions { perform(action) }
        takeRecordChanges()
        settleInputs(at: .now)
        table.forgetHeard()
        arm()
    }

    // MARK: - State

    /// Saves the state of a session's scene.
    /// - Throws: ``SceneCommandError`` when the sender no longer runs the session, or the state has no room; `CBORError`
    ///   for a state that cannot be sent to a worker.
    func checkpoint(_ id: String, state: CBORRaw, token: UInt64) throws {
        var state = state
        do {
            try CarriedItem.state.check(state)
            state = try withoutSecrets(state)
        } catch {
            hub.count("refused: state beyond measure")
            throw error
        }
        do {
            guard try table.checkpoint(id, state: state, token: token) else { return }
        } catch let error as SceneCommandError where error.reason == .overloaded {
            hub.count("refused: state without room")
            throw error
        } catch {
            hub.count("refused: stale fencing token")
            throw error
        }
        queue.add(id)
        saveUnsaved()
    }

    /// The state as it may be stored, and carried to another worker.
    func withoutSecrets(_ state: CBORRaw) throws(CBORError) -> CBORRaw {
        guard state.holdsSecret else { return state }
        hub.count("dropped: secrets in a scene's state")
        return try state.withoutSecrets()
    }

    /// - Parameter work: the queue's work that failed; `nil` for another write.
    func storeFailed(_ work: SaveQueue.Work?, _ error: any Error) {
        // Log only the first failure: the log may be on the same full disk.
        guard queue.failed(work, at: .now) else { return }
        logger.error("sessions cannot be written", metadata: ["error": "\(String(foreign: error))"])
    }

    func saveUnsaved() {
        guard queue.begin() else { return }
        saving = Task {
            await save()
            saving = nil
            arm()
        }
    }

    /// Writes until the queue is empty or a write fails.
    private func save() async {
        while let work = queue.next() {
            do {
                try await write(work)
                if queue.succeeded(work) { logger.notice("sessions can be written again") }
                if work == .markRunning, table.isHeld { perform(table.release()) }
            } catch {
                storeFailed(work, error)
            }
        }
    }

    private func write(_ work: SaveQueue.Work) async throws {
        switch work {
        case .markRunning: try await writer.write(.beginLife(epoch: hub.epoch))
        case .save(let ids):
            let records = ids.compactMap { table.sessions[$0]?.record }
            if !records.isEmpty { try await writer.write(.saveSessions(records)) }
        }
    }

    /// Writes all unsaved sessions, and marks the store as shut down in order if no worker holds a scene.
    /// - Parameter isClean: whether every worker has said goodbye. A worker that outlives the host keeps its scenes
    ///   suspended, and the next host waits for it as after a crash.
    func end(isClean: Bool) async {
        saveUnsaved()
        await saving?.value
        if isClean, table.isClean, queue.isEmpty { writer.write(.endLife) { _ in } }
    }
}
