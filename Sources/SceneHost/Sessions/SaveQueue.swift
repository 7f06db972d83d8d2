/// Which sessions are still to be written to the store, and when. A value: events in, work out, with the time fed in.
///
/// What cannot be written stays in memory, and is tried again after a wait: it is lost only with the host.
struct SaveQueue {
    enum Work: Hashable {
        /// Mark the store as one whose host runs. Whoever finds that later waits for its workers' leases to expire.
        case markRunning
        /// Write the records of these sessions in one transaction.
        case save(Set<String>)
    }

    private enum Phase {
        case idle
        /// A round of writes runs.
        /// - hasTriedToMark: the store has been asked in this round to mark that a host runs.
        case writing(hasTriedToMark: Bool)
    }

    private static let timing = Retry.Timing(first: .milliseconds(250), maximum: .seconds(1))
    /// Sessions that are written in one transaction.
    private static let maximumCount = 500

    private var phase = Phase.idle
    private var unsaved: Set<String> = []
    /// Sessions that are about to be deleted, and how often: a state that is written now would bring them back.
    private var closing: [String: Int] = [:]
    private var retry = Retry()
    /// The store is marked as one whose host runs.
    private(set) var isMarkedRunning = false
    /// The last write has failed.
    private(set) var isFailing = false

    var isEmpty: Bool { unsaved.isEmpty }
    /// When to write again what could not be written; what is being written says that itself.
    var due: ContinuousClock.Instant? {
        if case .idle = phase { retry.due } else { nil }
    }

    // MARK: - Sessions

    /// A session is to be written.
    mutating func add(_ id: String) { unsaved.insert(id) }

    /// A session is to be written now, by the caller.
    /// - Returns: `false` when it must not be, because it is about to be deleted; it is written later if that fails.
    mutating func take(_ id: String) -> Bool {
        guard closing[id] == nil else {
            unsaved.insert(id)
            return false
        }
        unsaved.remove(id)
        return true
    }

    mutating func beginClosing(_ id: String) { closing[id, default: 0] += 1 }

    /// - Parameter isDeleted: it is no longer in the store. Another close of it may be on its way, and fail.
    mutating func endClosing(_ id: String, isDeleted: Bool) {
        closing[id]? -= 1
        if closing[id] == 0 { closing[id] = nil }
        if isDeleted { unsaved.remove(id) }
    }

    // MARK: - Rounds

    /// Begins a round of writes.
    /// - Returns: `false` when one runs.
    mutating func begin() -> Bool {
        guard case .idle = phase else { return false }
        retry.begin()
        phase = .writing(hasTriedToMark: false)
        return true
    }

    /// What the round writes next; `nil` at its end. Say then ``succeeded(_:)`` or ``failed(_:at:)``.
    mutating func next() -> Work? {
        guard case .writing(let hasTriedToMark) = phase else { return nil }
        if !isMarkedRunning, !hasTriedToMark {
            phase = .writing(hasTriedToMark: true)
            return .markRunning
        }
        let ids = Set(unsaved.lazy.filter { [closing] in closing[$0] == nil }.prefix(Self.maximumCount))
        guard !ids.isEmpty else {
            phase = .idle
            return nil
        }
        unsaved.subtract(ids)
        return .save(ids)
    }

    /// - Returns: whether writes had failed before this one.
    mutating func succeeded(_ work: Work) -> Bool {
        if work == .markRunning { isMarkedRunning = true }
        // A store that holds states, and not that a host runs, is not as it should be.
        guard isMarkedRunning else { return false }
        defer { isFailing = false }
        retry.succeeded()
        return isFailing
    }

    /// - Parameter work: `nil` for a write of the caller's.
    /// - Returns: whether this is the first failure since a success.
    mutating func failed(_ work: Work?, at now: ContinuousClock.Instant) -> Bool {
        if case .save(let ids) = work {
            unsaved.formUnion(ids)
            // Written with the next change, or after a wait.
            phase = .idle
        }
        retry.failed(at: now, Self.timing)
        defer { isFailing = true }
        return !isFailing
    }
}
