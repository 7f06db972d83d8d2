import HeapModule
import LoopExecutor

/// Delivers events to the main actor: messages on sockets, readable descriptors, and timers.
///
/// All sockets of a process are used only on the main actor. In an executable that calls ``MainLoop/run(_:)``, the main
/// actor's own executor waits for events, so messages are handled on the thread that receives them. In any other process, such
/// as a test, and in a build that uses public API alone, a ``WaiterThread`` waits for events and wakes the main actor.
@MainActor
public final class Reactor {
    /// The reactor of this process.
    public static let shared = Reactor()

    // The runtime does not check accesses to it for overlaps: see "Hot paths" in Contributing. Each one ends before other
    // code is called.
    @exclusivity(unchecked) private var state = State()

    private struct State {
        /// The sources by their descriptors. The keys are `Int` as in other tables that are filled when a process starts:
        /// the first use of each type of key searches all conformances of the process.
        var sources: [Int: any EventSource] = [:]
        var dirty: [any EventSource] = []
        var outputs: [any TurnOutput] = []
        /// The deadline of the next timer. It is stored separately from the heap because every turn reads it.
        var earliest: MonotonicInstant?
        var isTurning = false
    }

    /// The deadlines of timers. A timer that is cancelled or set again leaves its old entry behind, which is skipped.
    private var due = Heap<Due>()
    /// The number of timers that are set.
    private var timerCount = 0
    private let waiter: any EventWaiter
    private let executor = LoopExecutor.installed

    private init() {
        waiter = MainLoop.waiter ?? WaiterThread()
    }

    // MARK: - Sources

    func add(_ source: any EventSource) {
        state.sources[Int(source.descriptor)] = source
        waiter.watch(source.descriptor)
        markDirty(source)
    }

    func remove(_ source: any EventSource) {
        // The descriptor may have been closed and reused by another source.
        guard state.sources[Int(source.descriptor)] === source else { return }
        state.sources[Int(source.descriptor)] = nil
        waiter.unwatch(source.descriptor)
    }

    /// Makes the reactor drain a source before the next wait, even if its descriptor is not readable.
    func markDirty(_ source: any EventSource) {
        guard !source.isDirty else { return }
        source.isDirty = true
        state.dirty.append(source)
        if !state.isTurning { waiter.interrupt() }
    }

    // MARK: - Output

    /// Makes the reactor call `flush()` before the end of this turn, or soon if no turn runs now.
    public func addOutput(_ output: any TurnOutput) {
        state.outputs.append(output)
        if !state.isTurning { waiter.interrupt() }
    }

    /// Sends what the turn has collected so far.
    @inline(__always)
    func flushOutputs() {
        if !state.outputs.isEmpty { flushCollected() }
    }

    private func flushCollected() {
        // An output that cannot send may make others send something.
        while !state.outputs.isEmpty {
            let batch = state.outputs
            state.outputs.removeAll(keepingCapacity: true)
            for output in batch { output.flush() }
        }
    }

    // MARK: - Timers

    private struct Due: Comparable {
        let deadline: MonotonicInstant
        let timer: LoopTimer

        @MainActor var isCurrent: Bool { timer.deadline == deadline }

        static func < (left: Due, right: Due) -> Bool { left.deadline < right.deadline }
        static func == (left: Due, right: Due) -> Bool { left.deadline == right.deadline }
    }

    /// Updates the deadlines after a timer's deadline has changed.
    func timerChanged(_ timer: LoopTimer, from old: MonotonicInstant?) {
        guard timer.deadline != old else { return }
        timerCount += (timer.deadline == nil ? 0 : 1) - (old == nil ? 0 : 1)
        if due.count > 64, due.count > 4 * timerCount {
            due = Heap(due.unordered.filter { $0.isCurrent })
        }
        if let deadline = timer.deadline {
            due.insert(Due(deadline: deadline, timer: timer))
            if state.earliest.map({ deadline < $0 }) ?? true {
                state.earliest = deadline
                if !state.isTurning { waiter.interrupt() }
                return
            }
        }
        if old == state.earliest { findEarliest() }
    }

    private func findEarliest() {
        while let first = due.min, !first.isCurrent { due.removeMin() }
        state.earliest = due.min?.deadline
    }

    private func fireTimers() {
        let now = MonotonicInstant.now
        // All due timers are removed before any fires, so a timer that sets itself again for now waits for the next
        // turn.
        var ready: [Due] = []
        while let first = due.min, first.deadline <= now { ready.append(due.removeMin()) }
        for entry in ready where entry.isCurrent { entry.timer.fire() }
        findEarliest()
    }

    // MARK: - Turns

    /// Returns whether tasks wait for the end of this turn to continue, and no timer is due before them. The result is
    /// always `false` in a process that does not run ``MainLoop``.
    func continuesTasks(at now: MonotonicInstant) -> Bool {
        executor?.hasJobs == true && state.earliest.map { now < $0 } ?? true
    }

    /// Whether a turn did anything, and when the next timer is due.
    typealias Result = (worked: Bool, next: MonotonicInstant?)

    /// Drains the ready and dirty sources and fires the due timers. The event waiter calls this method.
    /// - Parameter ready: The descriptors that are readable.
    /// - Returns: Whether the turn did anything or sources are still dirty, and when the next timer is due.
    func turn(ready: [Int32]) -> Result {
        state.isTurning = true
        defer { state.isTurning = false }
        // What jobs have sent since the last turn must not wait for what is received now.
        flushOutputs()
        for descriptor in ready {
            if let source = state.sources[Int(descriptor)] { markDirty(source) }
        }
        var worked = false
        if !state.dirty.isEmpty {
            let batch = state.dirty
            state.dirty.removeAll(keepingCapacity: true)
            // A source stays dirty while it is drained, so it is never drained twice in a turn. What it sends meanwhile does
            // not mark it again: a source that returns anything but `.some` has looked for events after that.
            for source in batch {
                switch source.drain() {
                case .nothing: source.isDirty = false
                case .all:
                    source.isDirty = false
                    worked = true
                case .some: state.dirty.append(source)
                }
            }
        }
        if let deadline = state.earliest, deadline <= .now {
            worked = true
            fireTimers()
        }
        flushOutputs()
        return (worked || !state.dirty.isEmpty, state.earliest)
    }
}

/// Something that the reactor watches.
@MainActor
protocol EventSource: AnyObject {
    nonisolated var descriptor: Int32 { get }
    /// Whether the source is in the reactor's list of those to drain.
    var isDirty: Bool { get set }
    /// Handles the available events, or some of them.
    func drain() -> HandledEvents
}

/// Which of its available events a source has handled.
enum HandledEvents {
    /// There were none.
    case nothing
    case all
    /// There may be more, which the next turn handles.
    case some
}

/// Collects what is to be sent in a turn, to send it together.
@MainActor
public protocol TurnOutput: AnyObject {
    /// Sends what was collected. It is called once for each call of ``Reactor/addOutput(_:)``.
    func flush()
}

/// Waits for descriptors and deadlines on behalf of the reactor.
protocol EventWaiter: Sendable {
    func watch(_ descriptor: Int32)
    func unwatch(_ descriptor: Int32)
    /// Interrupts a wait because the sources or timers have changed.
    func interrupt()
}
