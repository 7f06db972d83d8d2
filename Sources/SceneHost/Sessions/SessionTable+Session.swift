import Bus
import CBOR

extension SessionTable {
    /// Whether a session has a scene, and at which worker.
    enum Phase: Hashable {
        /// No worker runs the scene, and none may.
        case waiting
        /// A worker that is not attached may run the scene until its lease expires.
        case leased(until: MonotonicInstant)
        /// The host has just started, and a worker of an earlier host may run the scene, or attach with it. The
        /// candidate is the newest suspended scene that a worker has reported so far.
        case collecting(candidate: Candidate?)
        /// A worker that has reconnected holds the scene, suspended.
        case returning(WorkerID)
        /// The worker has been asked to resume the scene.
        case resuming(WorkerID)
        /// A worker makes the scene. In a move, the worker `from` keeps the frozen scene until that is done.
        case connecting(WorkerID, from: WorkerID?)
        case running(WorkerID)
        /// The scene is being frozen, to move to another worker.
        case freezing(Move)
        /// The scene is frozen, and its state is being written to the store.
        case storing(Move)
        /// A worker may have made or resumed the scene, and has been asked to discard it.
        case withdrawing(WorkerID)

        /// The workers that have, or may have, a scene of the session.
        var workers: [WorkerID] {
            switch self {
            case .waiting, .leased, .collecting: []
            case .returning(let worker), .resuming(let worker), .running(let worker), .withdrawing(let worker): [worker]
            case .freezing(let move), .storing(let move): [move.from]
            case .connecting(let worker, let from): [worker] + (from.map { [$0] } ?? [])
            }
        }

        /// The worker that makes or resumes the scene.
        var starter: WorkerID? {
            switch self {
            case .connecting(let worker, _), .resuming(let worker): worker
            default: nil
            }
        }

        /// The suspended scene that resumes when the wait for workers of an earlier host is over.
        var candidate: Candidate? {
            if case .collecting(let candidate) = self { candidate } else { nil }
        }

        /// Whether the session waits for a worker that may still have its scene. Only then does it have a
        /// ``Session/patienceEnd``.
        var isWaitingForItsWorker: Bool {
            switch self {
            case .leased, .returning, .resuming, .withdrawing: true
            default: false
            }
        }

        /// The worker that runs the scene, is about to, or has reconnected with it.
        var worker: WorkerID? { workers.first ?? candidate?.worker }
    }

    /// A suspended scene that a worker has reported.
    struct Candidate: Hashable {
        let worker: WorkerID
        let token: UInt64
    }

    /// The move of a running scene to another worker.
    struct Move: Hashable {
        let from: WorkerID
        let to: WorkerID
        /// Whether the scene may move to any other worker if `to` has no room any more.
        let allowsOthers: Bool
    }

    struct Session {
        var record: SessionRecord
        var phase = Phase.waiting
        /// The links that its next scene opens.
        var links: [CBORRaw] = []
        /// What it takes of the room for all sessions.
        var share: SessionRoom.Share
        var retry = Retry()
        /// Whether a worker died while it made the scene. The scene may be the cause, and could crash the next worker,
        /// too.
        var lostItsWorker = false
        /// When the session may be given to another worker although its disconnected worker may be synchronized again
        /// later; see ``Phase/isWaitingForItsWorker``.
        var patienceEnd: MonotonicInstant?
        /// The process that holds an earlier scene of the session, with that scene's token.
        ///
        /// It is set while another worker makes the scene, and while this process is asked to resume it. If the process reconnects without having received the request to resume, it still holds the scene
        /// under this token.
        var kept: (process: ProcessIdentity, token: UInt64)?
        /// Whether the last worker refused the scene. Inputs then fail at once instead of waiting for the retry.
        var isRefused = false
        /// Workers that cannot read its state.
        var refusedBy: Set<WorkerID> = []
        /// Why a worker could not read its state. It is kept until a scene starts from the state, whatever becomes of
        /// that worker: it is what has to be repaired.
        var unreadable: String?
        /// Why the session has no scene, or could not be moved.
        var problem = "it has not been given to a worker yet"
        /// The requests that its scene has not answered yet.
        var asks = Asks()
        /// When to check next whether a suspect's scene runs, and the token of the scene that ran at the last check.
        var watch: (due: MonotonicInstant, token: UInt64?)?
        /// Workers whose silence the session is suspected for, and which may come back.
        var accusers: [ProcessIdentity] = []
        /// Whether the scene starts again as soon as its worker has discarded it.
        var startsAnew = false
        /// Whether the session is in the `waiting` or `choosy` queue of its pool.
        var isQueued = false
        /// Whether the session is in the `leaving` or `choosy` queue of its pool, or the `parked` queue of its worker.
        var isLeaving = false
        /// Whether the session is in the `failing` queue of its pool.
        var isFailing = false

        init(record: SessionRecord, links: [CBORRaw] = [], share: SessionRoom.Share) {
            self.record = record
            self.links = links
            self.share = share
        }

        var orderKey: SessionOrder.Key { SessionOrder.Key(position: record.position, id: record.id) }
        var id: String { record.id }
        var token: UInt64 { record.token }
    }

    enum Action: Hashable {
        /// Make the scene, then call ``SessionTable/connected(_:token:)`` or ``SessionTable/connectFailed``.
        case connect(String, WorkerID, token: UInt64)
        /// Resume the suspended scene, then call ``SessionTable/connected(_:token:)`` or
        /// ``SessionTable/connectFailed``.
        case resume(String, WorkerID, token: UInt64)
        /// Freeze the scene, then call ``SessionTable/frozen`` or ``SessionTable/freezeFailed``.
        case freeze(String, WorkerID, token: UInt64)
        /// Write the session, then call ``SessionTable/stored(_:)``, whether or not that succeeded.
        case store(String)
        /// Discard a scene that may exist, then call ``SessionTable/withdrawn`` or ``SessionTable/withdrawFailed``.
        case withdraw(String, WorkerID, token: UInt64)
        /// Discard an outdated scene, whose token is not larger than this. Then call ``SessionTable/discarded`` or
        /// ``SessionTable/discardFailed``.
        case discard(String, WorkerID, token: UInt64)
    }
}
