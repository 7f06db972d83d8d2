import Bus
import DequeModule

/// An attached worker, as far as placing sessions needs to know it.
struct AttachedWorker {
    /// What a worker has been told to end, and has not said that it has: until then it takes a place there.
    struct Discard {
        var token: UInt64
        /// It has been asked, and has not answered.
        var isAsked = false
        var retry = Retry()
    }

    /// What of a worker the pools of its configurations have counted.
    struct Standing: Hashable {
        static let none = Standing(isOpen: false, isRoomy: false, opening: nil)

        var isOpen: Bool
        var isRoomy: Bool
        /// Its room, when it can be given a session now.
        var opening: Int?
    }

    let id: WorkerID
    let process: ProcessIdentity
    let offers: Set<String>
    let capacity: Int
    let endsWithHost: Bool
    /// Its copy of the container is complete.
    var isReady = false
    /// It gets no more sessions, and gives up those that it has.
    var isDraining = false
    /// It has not been heard for longer than between two heartbeats: it may be cut off.
    var isQuiet = false
    /// The sessions of which it has something.
    var sessions: Set<String> = []
    /// How many of these run, and how many it is making or has been told to go on with.
    var running = 0
    var starting = 0
    /// The sessions whose newest scene it has, as far as a new host has seen.
    var candidates: Set<String> = []
    /// What it has been told to end and has not said that it has.
    var discards: [String: Discard] = [:]
    /// Those among these that it has not been asked for yet.
    var discardQueue: Deque<String> = []
    /// How many it has been asked for and has not answered.
    var discarding = 0
    /// Sessions that leave it when others have left, and those that it goes on with when others are done.
    var parked: Deque<String> = []
    var returners: Deque<String> = []
    /// What the pools of its configurations know of it, and a number that is another each time.
    var standing = Standing.none
    var stamp: UInt64 = 0

    init(id: WorkerID, process: ProcessIdentity, offers: Set<String>, capacity: Int, endsWithHost: Bool) {
        self.id = id
        self.process = process
        self.offers = offers
        self.capacity = capacity
        self.endsWithHost = endsWithHost
    }

    var name: String { process.peer }
    /// How many sessions it has something of, as far as it is known.
    var sessionCount: Int { sessions.count + candidates.count }
    var room: Int { capacity - sessionCount - discards.count }
    /// Sessions of which it has something and that do not run.
    var moving: Int { sessions.count - running }

    /// Whether it can be given one more.
    var takesMore: Bool { isReady && !isDraining && !isQuiet && room > 0 }
}
