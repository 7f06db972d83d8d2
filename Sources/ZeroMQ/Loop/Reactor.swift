import HeapModule

/// Gives the main actor its events: messages on sockets, readable descriptors, timers.
///
/// Every socket of a process is used on the main actor and nowhere else. Who waits for events differs: in an executable that
/// calls ``MainLoop/run(_:)`` the main actor's own executor waits, so that a message is handled where it arrives. In a
/// process whose main actor belongs to somebody else, such as a test, a ``WaiterThread`` waits and wakes the main actor.
@MainActor
public final class Reactor {
    /// The reactor of this process.
    public static let shared = Reactor()

    // Overlapping accesses are not looked for at run time, several times a message: each is over before anybody else's code
    // is called.
    @exclusivity(unchecked) private var sources: [Int32: any EventSource] = [:]
    @exclusivity(unchecked) private var dirty: [any EventSource] = []
    /// When timers are due. A timer that was cancelled or set anew leaves an entry behind, which is passed over.
    private var due = Heap<Due>()
    /// The timers that are set.
    private var timerCount = 0
    /// When the next one is due: looked at in every turn, so that it is kept beside the heap.
    @exclusivity(unchecked) private var earliest: ContinuousClock.Instant?
    @exclusivity(unchecked) private var isTurning = false
    private let waiter: any EventWaiter

    private init() {
        waiter = MainLoopExecutor.installed ?? WaiterThread()
    }

    // MARK: - Sources

    func add(_ source: any EventSource) {
        sources[source.descriptor] = source
        waiter.watch(source.descriptor)
        markDirty(source)
    }

    func remove(_ source: any EventSource) {
        // A descriptor that was closed may be somebody else's by now.
        guard sources[source.descriptor] === source else { return }
        sources[source.descriptor] = nil
        waiter.unwatch(source.descriptor)
    }

    /// Looks at a source again before the next wait, whatever its descriptor says.
    func markDirty(_ source: any EventSource) {
        guard !source.isDirty else { return }
        source.isDirty = true
        dirty.append(source)
        if !isTurning { waiter.interrupt() }
    }

    // MARK: - Timers

    private struct Due: Comparable {
        let deadline: ContinuousClock.Instant
        let timer: LoopTimer

        @MainActor var isCurrent: Bool { timer.deadline == deadline }

        static func < (left: Due, right: Due) -> Bool { left.deadline < right.deadline }
        static func == (left: Due, right: Due) -> Bool { left.deadline == right.deadline }
    }

    /// A timer's deadline has changed.
    func timerChanged(_ timer: LoopTimer, from old: ContinuousClock.Instant?) {
        guard timer.deadline != old else { return }
        timerCount += (timer.deadline == nil ? 0 : 1) - (old == nil ? 0 : 1)
        if due.count > 64, due.count > 4 * timerCount {
            due = Heap(due.unordered.filter { $0.isCurrent })
        }
        if let deadline = timer.deadline {
            due.insert(Due(deadline: deadline, timer: timer))
            if earliest.map({ deadline < $0 }) ?? true {
                earliest = deadline
                if !isTurning { waiter.interrupt() }
                return
            }
        }
        if old == earliest { findEarliest() }
    }

    private func findEarliest() {
        while let first = due.min, !first.isCurrent { due.removeMin() }
        earliest = due.min?.deadline
    }

    private func fireTimers() {
        let now = ContinuousClock.now
        // Taken out first: a timer that sets itself again, for now, has its turn after the others.
        var ready: [Due] = []
        while let first = due.min, first.deadline <= now { ready.append(due.removeMin()) }
        for entry in ready where entry.isCurrent { entry.timer.fire() }
        findEarliest()
    }

    // MARK: - Turns

    /// Whether a turn did anything, and when the next timer is due.
    typealias Result = (worked: Bool, next: ContinuousClock.Instant?)

    /// Handles what has come: called by whoever waits.
    /// - Parameter ready: the descriptors that are readable.
    /// - Returns: whether anything was done, and when the next timer is due.
    func turn(ready: [Int32]) -> Result {
        isTurning = true
        defer { isTurning = false }
        for descriptor in ready {
            if let source = sources[descriptor] { markDirty(source) }
        }
        var worked = false
        if !dirty.isEmpty {
            let batch = dirty
            dirty.removeAll(keepingCapacity: true)
            // A source may have been looked at since it was noted, and be clean again.
            for source in batch where source.isDirty {
                source.isDirty = false
                if source.drain() { worked = true }
            }
        }
        if let deadline = earliest, deadline <= .now {
            worked = true
            fireTimers()
        }
        return (worked || !dirty.isEmpty, earliest)
    }
}

/// Something that the reactor watches.
@MainActor
protocol EventSource: AnyObject {
    nonisolated var descriptor: Int32 { get }
    /// Already in the list of those to look at.
    var isDirty: Bool { get set }
    /// Handles what is there.
    /// - Returns: whether there was anything.
    func drain() -> Bool
}

/// Waits for descriptors and deadlines on behalf of the reactor.
protocol EventWaiter: Sendable {
    func watch(_ descriptor: Int32)
    func unwatch(_ descriptor: Int32)
    /// Something changed on the main actor: look again before waiting on.
    func interrupt()
}
