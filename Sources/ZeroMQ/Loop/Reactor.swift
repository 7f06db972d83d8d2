/// Gives the main actor its events: messages on sockets, readable descriptors, timers.
///
/// Every socket of a process is used on the main actor and nowhere else. Who waits for events differs: in an executable that
/// calls ``MainLoop/run(_:)`` the main actor's own executor waits, so that a message is handled where it arrives. In a
/// process whose main actor belongs to somebody else, such as a test, a ``WaiterThread`` waits and wakes the main actor.
@MainActor
public final class Reactor {
    /// The reactor of this process.
    public static let shared = Reactor()

    private var sources: [Int32: any EventSource] = [:]
    private var dirty: [any EventSource] = []
    private var timers: [LoopTimer] = []
    private var earliest: ContinuousClock.Instant?
    private var isTurning = false
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

    func add(_ timer: LoopTimer) {
        if !timers.contains(where: { $0 === timer }) { timers.append(timer) }
        deadlineChanged(to: timer.deadline)
    }

    func remove(_ timer: LoopTimer) {
        timers.removeAll { $0 === timer }
    }

    private func deadlineChanged(to deadline: ContinuousClock.Instant?) {
        guard let deadline, earliest.map({ deadline < $0 }) ?? true else { return }
        earliest = deadline
        if !isTurning { waiter.interrupt() }
    }

    // MARK: - Turns

    /// Handles what has come: called by whoever waits.
    /// - Parameter ready: the descriptors that are readable.
    /// - Returns: whether anything was done, and when the next timer is due.
    func turn(ready: [Int32]) -> (worked: Bool, next: ContinuousClock.Instant?) {
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
        if let due = earliest, due <= .now {
            worked = true
            fireTimers()
        }
        return (worked || !dirty.isEmpty, earliest)
    }

    private func fireTimers() {
        let now = ContinuousClock.now
        for timer in timers {
            guard let deadline = timer.deadline, deadline <= now else { continue }
            timer.fire()
        }
        timers.removeAll { $0.deadline == nil }
        earliest = timers.lazy.compactMap(\.deadline).min()
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
