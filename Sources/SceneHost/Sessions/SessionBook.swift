import Hub
import Bus
import CBOR
import CoordinatorKit
import DequeModule
import HeapModule
import Logging
import ZeroMQ

/// The open sessions, and which worker runs the scene of each: carries out what ``SessionTable`` decides.
///
/// A session belongs to the host: it outlives its scene, its worker and the host's process.
@MainActor
final class SessionBook {
    /// Where a session's scene runs.
    struct Place {
        let worker: HubLink
        let token: UInt64
    }

    /// Something for a scene that waits until the scene can take it.
    struct Input {
        let order: UInt64
        let deadline: ContinuousClock.Instant
        let run: @MainActor (Result<Place, any Error>) -> Void
    }

    var table: SessionTable
    let writer: StoreWriter
    let hub: Hub
    let configuration: HostConfiguration
    let logger: Logger
    private lazy var timer = LoopTimer { [weak self] in self?.tick() }
    /// Inputs for scenes that move, or are about to be made, in the order in which they came.
    var inputs: [String: Deque<Input>] = [:]
    var inputCount = 0
    var lastInputOrder: UInt64 = 0
    /// When inputs have waited long enough; some may not wait any more.
    var inputDeadlines = Heap<InputDeadline>()
    /// The processes that this host starts.
    private let plugins: PluginSupervisor?
    /// The names of the workers that this host starts, and ends.
    private var ownWorkers: Set<String> = []

    /// What is still to be written; one task at a time does so.
    var queue = SaveQueue()
    private var saving: Task<Void, Never>?
    private var isEnding = false

    init(
        writer: StoreWriter, hub: Hub, plugins: PluginSupervisor?, configuration: HostConfiguration, logger: Logger
    ) {
        self.writer = writer
        self.hub = hub
        self.plugins = plugins
        self.configuration = configuration
        self.logger = logger
        table = SessionTable(epoch: hub.epoch, timing: .init(retry: configuration.retry))
    }

    /// Takes over the sessions of earlier hosts, and writes down that a host runs.
    /// - Parameter isClean: the last of them ended in order, and no worker holds a scene.
    func load(isClean: Bool) async throws {
        let records = try await writer.store.sessions()
        table = await Self.take(records, isClean: isClean, into: table)
        if queue.begin() { await save() }
    }

    /// Not on the main actor: many sessions would stop the loop for as long as it takes.
    @concurrent private nonisolated static func take(
        _ records: [SessionRecord], isClean: Bool, into table: SessionTable
    ) async -> SessionTable {
        var table = table
        table.take(records, isClean: isClean)
        return table
    }

    /// Workers can attach from now on.
    /// - Parameters:
    ///   - workers: the names of the workers that this host starts.
    ///   - isClean: as ``load(isClean:)`` was told.
    ///   - isLaterLife: a host has run on this store before.
    func begin(isClean: Bool, expecting workers: Set<String>, isLaterLife: Bool) {
        ownWorkers = workers
        table.begin(expecting: workers, isLaterLife: isLaterLife, at: .now)
        if isClean, !queue.isMarkedRunning { table.hold() }
        arm()
    }

    // MARK: - Asking

    func session(_ id: String) throws -> SessionTable.Session {
        guard let session = table.sessions[id] else { throw SceneCommandError.notOpen(id) }
        return session
    }

    func status(of session: SessionTable.Session) -> SessionStatus {
        var reasons: [String: String] = [:]
        return status(of: session, reasons: &reasons)
    }

    /// - Parameter reasons: why nobody has room, by configuration: the same for all that wait.
    func status(of session: SessionTable.Session, reasons: inout [String: String]) -> SessionStatus {
        let worker = session.worker.flatMap { hub.links[$0] }
        return SessionStatus(
            session: session.id, configuration: session.record.configuration, role: session.record.role,
            worker: worker?.name, pid: worker?.hello.pid, token: session.token, state: session.state,
            problem: table.trouble(of: session, reasons: &reasons))
    }

    /// How many sessions a peer has something of.
    func count(of link: HubLink) -> Int { table.workers[link.id]?.sessionCount ?? 0 }

    // MARK: - Opening and closing

    /// Opens a session, and gives it a scene when a worker can take it.
    /// - Parameter configuration: its scene configuration; `nil` for the only one that is offered.
    /// - Throws: ``SceneCommandError`` when nobody offers it and no workers are on their way, and for names that no message can carry.
    func open(configuration: String?, role: String, links: [CBORRaw]) async throws -> SessionStatus {
        let offered = table.pools.filter { $0.value.attached > 0 }.keys.sorted()
        // Workers that are on their way may offer others: which one is meant, and whether there is none, is known when they are there.
        let isArriving = table.isArriving
        guard let name = configuration ?? (offered.count == 1 && !isArriving ? offered.first : nil) else {
            throw SceneCommandError(
                .unknownConfiguration,
                isArriving
                    ? "name a scene configuration, or try again in a few seconds: workers are on their way, and offer so far: "
                        + Self.list(offered)
                    : "name a scene configuration; workers offer: \(Self.list(offered))")
        }
        if !offered.isEmpty, !offered.contains(name), !table.mayComeBack(at: .now), plugins?.startsWorker(for: name) != true {
            throw SceneCommandError(
                .unknownConfiguration,
                "no worker offers '\(name)'; there are: \(Self.list(offered))")
        }
        guard CarriedItem.canCarry(role: role, configuration: name) else {
            throw SceneCommandError(
                .refused,
                "its role and configuration have \(role.utf8.count + name.utf8.count) bytes together; a session may have "
                    + "\(CarriedItem.maximumNames)")
        }
        let record = SessionRecord(
            id: Application.newIdentifier(), role: role, configuration: name, position: table.nextPosition())
        try await writer.write(.saveSessions([record]))
        perform(table.opened(record, links: links, at: .now))
        // Told when its scene is there, or when it is known why not.
        await withCheckedContinuation { continuation in
            whenRunning(record.id, order: nextInputOrder(), within: self.configuration.placementTimeout) { _ in
                continuation.resume()
            }
        }
        return status(of: try session(record.id))
    }

    /// Closes a session for good.
    func close(_ id: String) async throws {
        _ = try session(id)
        queue.beginClosing(id)
        var isDeleted = false
        defer {
            queue.endClosing(id, isDeleted: isDeleted)
            saveUnsaved()
        }
        try await writer.write(.deleteSession(id))
        isDeleted = true
        perform(table.closed(id))
    }

    // MARK: - Moving

    /// Moves a session's scene to another worker, and waits until it runs there.
    /// - Parameter name: the worker's name; `nil` for the one with the most room.
    func move(_ id: String, to name: String?) async throws -> SessionStatus {
        let target = try name.map { try worker(named: $0) }
        let from = try status(of: session(id)).worker
        perform(try table.move(id, to: target?.id))
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            whenRunning(id, order: nextInputOrder(), within: configuration.placementTimeout * 2) {
                continuation.resume(with: $0.map { _ in })
            }
        }
        let session = try session(id)
        let status = status(of: session)
        guard status.worker != from else {
            throw SceneCommandError(.refused, "session '\(id)' stays where it was: \(session.problem)")
        }
        return status
    }

    func drain(_ name: String, isDraining: Bool) throws -> WorkerStatus {
        let link = try worker(named: name)
        perform(isDraining ? table.drain(link.id) : table.undrain(link.id))
        return status(of: link)
    }

    func status(of link: HubLink) -> WorkerStatus {
        let worker = table.workers[link.id]
        return WorkerStatus(
            worker: link.name, pid: link.hello.pid, software: link.hello.software, scenes: link.hello.scenes,
            capacity: link.hello.capacity, sessions: worker?.sessionCount ?? 0,
            ending: worker?.discards.count ?? 0, isDraining: worker?.isDraining ?? false)
    }

    func worker(named name: String) throws -> HubLink {
        guard let link = hub.link(named: name), table.workers[link.id] != nil else {
            let names = table.workers.values.map(\.name).sorted()
            throw SceneCommandError(
                .unknownWorker, "no worker is called '\(name)'; there are: \(Self.list(names))")
        }
        return link
    }

    /// Names for a sentence: the first ones, and how many more there are.
    private static func list(_ names: [String]) -> String {
        guard !names.isEmpty else { return "none" }
        let first = names.prefix(20).joined(separator: ", ")
        return names.count > 20 ? first + " and \(names.count - 20) more" : first
    }

    // MARK: - Workers

    func attached(_ link: HubLink) {
        guard link.hello.role == .worker else { return }
        perform(
            table.attached(
                link.id, link.hello.process, offers: Set(link.hello.scenes), capacity: link.hello.capacity,
                held: link.hello.held ?? [],
                endsWithHost: ownWorkers.contains(link.name) || link.hello.endpoint.hasPrefix("inproc:"), at: .now))
    }

    func synchronized(_ link: HubLink) {
        perform(table.synchronized(link.id, at: .now))
    }

    /// The links that have not been heard for longer than between two heartbeats.
    func quiet(_ links: Set<UInt64>) {
        perform(table.quiet(links))
    }

    /// A peer has been told to come again, because too many come at once. It may hold scenes for which a new host still waits.
    func refusedAsBusy() {
        table.stillArriving(at: .now)
        arm()
    }

    /// A worker is gone.
    func detached(_ link: HubLink, _ departure: Departure) {
        perform(
            table.detached(
                link.id, reason: departure.description, isOver: departure.isOver, mayComeBack: departure.mayComeBack,
                at: .now))
    }

    /// The host ends: what its workers give up is placed nowhere else.
    func stopPlacing() {
        isEnding = true
        table.end()
        timer.cancel()
    }

    private func tick() {
        if let due = queue.due, due <= .now { saveUnsaved() }
        perform(table.tick(at: .now))
    }

    func arm() {
        let due = [table.wantsTick ? .now : table.nextTick, queue.due, inputDeadlines.min?.deadline]
        guard !isEnding, let next = due.compactMap({ $0 }).min() else { return timer.cancel() }
        if timer.deadline != next { timer.set(for: next) }
    }

    // MARK: - Acting

    func perform(_ actions: [SessionTable.Action]) {
        for action in actions { perform(action) }
        settleInputs(at: .now)
        arm()
    }

    // MARK: - State

    /// Keeps the state of a session's scene.
    /// - Throws: ``SceneCommandError`` when the sender no longer runs it; `CBORError` for a state that no worker could be given.
    func checkpoint(_ id: String, state: CBORRaw, token: UInt64) throws {
        do {
            try CarriedItem.state.check(state)
        } catch {
            hub.count("refused: state beyond measure")
            throw error
        }
        do {
            guard try table.checkpoint(id, state: state, token: token) else { return }
        } catch {
            hub.count("refused: stale fencing token")
            throw error
        }
        queue.add(id)
        saveUnsaved()
    }

    /// - Parameter work: `nil` for a write that is not the queue's.
    func storeFailed(_ work: SaveQueue.Work?, _ error: any Error) {
        // Said once: the log may be on the disk that is full.
        guard queue.failed(work, at: .now) else { return }
        logger.error("sessions cannot be written", metadata: ["error": "\(error)"])
    }

    private func saveUnsaved() {
        guard queue.begin() else { return }
        saving = Task {
            await save()
            saving = nil
            arm()
        }
    }

    /// Writes until nothing is left, or something fails.
    private func save() async {
        while let work = queue.next() {
            do {
                try await write(work)
                if queue.succeeded(work) { logger.notice("sessions are written again") }
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

    /// Writes everything down.
    /// - Parameter isClean: every worker has said goodbye: no scene is left running. One that outlives the host keeps its scenes,
    ///   suspended; the next host waits for it, as after a crash.
    func end(isClean: Bool) async {
        saveUnsaved()
        await saving?.value
        if isClean, table.isClean, queue.isEmpty { writer.write(.endLife) { _ in } }
    }
}
