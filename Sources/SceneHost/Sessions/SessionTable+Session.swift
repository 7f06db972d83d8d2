import Bus
import CBOR
import Messaging
import DequeModule

extension SessionTable {
    /// Where a session is on its way.
    enum Phase: Hashable {
        /// No worker runs it, and none may.
        case waiting
        /// A worker that is not attached may run it until then.
        case leased(until: ContinuousClock.Instant)
        /// The host has just started, and a worker of an earlier one may run it, or come with its scene.
        case collecting
        /// A worker that has come back holds its scene, suspended.
        case returning(WorkerID)
        /// That worker has been told to go on with it.
        case resuming(WorkerID)
        /// A worker makes its scene; when it moves, the frozen one is kept until that is done.
        case connecting(WorkerID, from: WorkerID?)
        case running(WorkerID)
        /// Its scene is about to stand still, to move to a worker.
        case freezing(WorkerID, to: WorkerID)
        /// Its scene stands still, and its state is being written.
        case storing(WorkerID, to: WorkerID)
        /// A worker may or may not have made its scene, and is told not to have.
        case withdrawing(WorkerID)

        /// The workers that have something of it.
        var workers: [WorkerID] {
            switch self {
            case .waiting, .leased, .collecting: []
            case .returning(let worker), .resuming(let worker), .running(let worker), .withdrawing(let worker),
                .freezing(let worker, _), .storing(let worker, _):
                [worker]
            case .connecting(let worker, let from): [worker] + (from.map { [$0] } ?? [])
            }
        }

        /// The worker that makes it, or has been told to go on with it.
        var starter: WorkerID? {
            switch self {
            case .connecting(let worker, _), .resuming(let worker): worker
            default: nil
            }
        }

        /// The worker that runs it, or is about to.
        var worker: WorkerID? { workers.first }
    }

    struct Session {
        var record: SessionRecord
        var phase = Phase.waiting
        /// What its next scene opens.
        var links: [CBORRaw] = []
        var retry = Retry()
        /// A worker went while it made the scene: perhaps it was the scene that ended it, and would end the next one too.
        var lostItsWorker = false
        /// How long its scene waits for the worker that lost its link, if another could take it; `nil` while it runs.
        var patienceEnd: ContinuousClock.Instant?
        /// The worker that it shall move to, and no other; `nil` when any will do.
        var target: WorkerID?
        /// The process that was told to go on with its scene and has not said that it does, with the token from before: when it comes
        /// back without having heard, the scene is there still.
        var kept: (process: ProcessIdentity, token: UInt64)?
        /// The worker that was asked last said no: the next is asked after a wait, and who waits for the scene is told.
        var isRefused = false
        /// Workers that cannot read its state.
        var refusedBy: Set<WorkerID> = []
        /// Why it has no scene, or could not be moved.
        var problem = "no worker has taken it yet"
        /// The newest suspended scene that has been seen while a new host still waits for old leases to end.
        var candidate: (worker: WorkerID, token: UInt64)?
        /// It is among those of its configuration that wait for a worker; among those that are to leave theirs; among those that are
        /// tried again.
        var isQueued = false
        var isLeaving = false
        var isFailing = false

        init(record: SessionRecord, links: [CBORRaw] = []) {
            self.record = record
            self.links = links
        }

        var orderKey: SessionOrder.Key { SessionOrder.Key(position: record.position, id: record.id) }
        var id: String { record.id }
        var token: UInt64 { record.token }
    }

    enum Action: Hashable {
        /// Make the scene, then say ``SessionTable/connected(_:token:)`` or ``SessionTable/connectFailed``.
        case connect(String, WorkerID, token: UInt64)
        /// Let the suspended scene go on, then say ``SessionTable/connected(_:token:)`` or ``SessionTable/connectFailed``.
        case resume(String, WorkerID, token: UInt64)
        /// Let the scene stand still, then say ``SessionTable/frozen`` or ``SessionTable/freezeFailed``.
        case freeze(String, WorkerID, token: UInt64)
        /// Write the session, then say ``SessionTable/stored(_:)``, whether or not that worked.
        case store(String)
        /// End what there may be of a scene, then say ``SessionTable/withdrawn`` or ``SessionTable/withdrawFailed``.
        case withdraw(String, WorkerID, token: UInt64)
        /// End a scene that is no longer the session's: one whose token is not larger than this. Then say
        /// ``SessionTable/discarded`` or ``SessionTable/discardFailed``.
        case discard(String, WorkerID, token: UInt64)
    }
}

extension SessionTable.Session {
    /// Where the session is on its way, in a word; see ``SessionStatus/state``.
    var state: SessionState {
        switch phase {
        case .waiting: .waiting
        case .collecting where candidate != nil: .resuming
        case .leased, .collecting: .cutOff
        case .returning, .resuming: .resuming
        case .connecting(_, nil): .connecting
        case .connecting, .freezing, .storing: .moving
        case .running: .running
        case .withdrawing: .withdrawing
        }
    }

    /// The worker that runs its scene, is about to, or has come back with it.
    var worker: WorkerID? { phase.worker ?? candidate?.worker }
}

extension SessionTable {
    /// Why a session has no scene, or cannot leave a worker that is drained; `nil` when all is as it should be.
    /// - Parameter reasons: why nobody has room, by configuration, as far as it has been found out.
    func trouble(of session: Session, reasons: inout [String: String]) -> String? {
        switch session.phase {
        case .running(let id):
            // Between two tries to move it.
            guard session.retry.due != nil || !session.refusedBy.isEmpty, let worker = workers[id], worker.isDraining
            else { return nil }
            return "it cannot leave \(worker.name): \(session.problem)"
        case .waiting where session.retry.due == nil && session.refusedBy.isEmpty:
            let configuration = session.record.configuration
            if let known = reasons[configuration] { return known }
            let reason = lack(of: configuration)
            reasons[configuration] = reason
            return reason
        case .collecting where session.candidate != nil: return "its worker has come back with it"
        case .waiting, .leased, .collecting, .withdrawing: return session.problem
        case .returning, .resuming: return "its worker has come back with it"
        case .connecting(_, nil): return "its scene is being made"
        case .connecting, .freezing, .storing: return "it moves to another worker"
        }
    }

    func summary(of session: Session) -> String {
        var reasons: [String: String] = [:]
        return trouble(of: session, reasons: &reasons) ?? session.state.rawValue
    }

    /// Why nobody takes a session of a configuration.
    private func lack(of configuration: String) -> String {
        if isHeld { return "the host's store cannot be written; 'scenebus status' says why" }
        if expected != nil { return "the host waits for the workers that it has started" }
        let pool = pools[configuration] ?? ConfigurationPool()
        if pool.attached == 0 { return "no worker that offers '\(configuration)' is attached" }
        if pool.open == 0 { return "every worker that offers '\(configuration)' is being drained" }
        if pool.roomy == 0 { return "no worker that offers '\(configuration)' has room" }
        return "the workers that offer '\(configuration)' are about to take it"
    }

    /// Whether a session's scene may be there by then, for all that is known now.
    func mayRun(_ session: Session, before end: ContinuousClock.Instant) -> Bool {
        guard session.phase == .waiting else { return true }
        if let due = session.retry.due { return due < end && !session.isRefused }
        if expected != nil || isHeld { return true }
        let roomy = pools[session.record.configuration]?.roomy ?? 0
        guard roomy > 0, !session.refusedBy.isEmpty else { return roomy > 0 }
        let excluded = session.refusedBy.count { id in
            workers[id].map { $0.standing.isRoomy && $0.offers.contains(session.record.configuration) } ?? false
        }
        return roomy > excluded
    }
}

extension SceneCommandError {
    static func notOpen(_ id: String) -> SceneCommandError {
        SceneCommandError(
            .unknownSession, "there is no open session '\(id)'; 'scenebus sessions ls' lists them")
    }
}
