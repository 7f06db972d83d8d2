import Bus
import DequeModule

/// The state of an attached worker that matters for placing sessions.
struct AttachedWorker {
    /// A scene that the worker has to discard. It occupies capacity until the worker confirms that it is gone.
    struct Discard {
        var token: UInt64
        /// Whether a request to discard it is pending.
        var isAsked = false
        var retry = Retry()
    }

    /// The properties of a worker that the pools of its configurations have counted.
    struct Standing: Hashable {
        static let none = Standing(isOpen: false, isRoomy: false, opening: nil)

        var isOpen: Bool
        var isRoomy: Bool
        /// Its free capacity if it can be given a session now, else `nil`.
        var opening: Int?
    }

    let id: WorkerID
    let process: ProcessIdentity
    /// Whose share of the room for states its sessions' states take.
    let sharer: String
    /// The name of its key; `nil` without one.
    let key: String?
    let offers: Set<String>
    let capacity: Int
    let endsWithHost: Bool
    /// Whether its copy of the container is complete.
    var isReady = false
    /// Whether it gets no more sessions, and its sessions move to other workers.
    var isDraining = false
    /// Whether it has been silent for longer than a heartbeat interval, so that it may be disconnected.
    var isQuiet = false
    /// The sessions in whose phase this worker takes part.
    var sessions: Set<String> = []
    /// How many of these are running, and how many are being made or resumed.
    var running = 0
    var starting = 0
    /// The sessions of which it holds the newest suspended scene that a new host has seen.
    var candidates: Set<String> = []
    /// The scenes that it has to discard, by session.
    var discards: [String: Discard] = [:]
    /// The sessions in `discards` for which no request has been sent yet.
    var discardQueue: Deque<String> = []
    /// The number of pending discard requests.
    var discarding = 0
    /// Sessions that wait to leave it, and sessions that wait to resume on it, because others do so now.
    var parked: Deque<String> = []
    var returners: Deque<String> = []
    /// The suspect session whose scene is in its hands. It gets no other suspect at the same time.
    var trial: String?
    /// The properties that the pools have counted.
    var standing = Standing.none
    /// A number that changes whenever ``standing`` does.
    var stamp: UInt64 = 0

    init(
        id: WorkerID, process: ProcessIdentity, sharer: String, key: String?, offers: Set<String>, capacity: Int,
        endsWithHost: Bool
    ) {
        self.id = id
        self.process = process
        self.sharer = sharer
        self.key = key
        self.offers = offers
        self.capacity = capacity
        self.endsWithHost = endsWithHost
    }

    var name: String { process.peer }
    /// Whether only its silence shows that it is gone.
    var needsSign: Bool { !endsWithHost }
    /// The number of known sessions on this worker, including candidates.
    var sessionCount: Int { sessions.count + candidates.count }
    var room: Int { capacity - sessionCount - discards.count }
    /// The number of sessions on this worker that are not running.
    var moving: Int { sessions.count - running }

    /// Whether it can be given another session.
    var takesMore: Bool { isReady && !isDraining && !isQuiet && room > 0 }
}
