import Bus

/// The sessions that still have to be written to the store, and when to write them.
///
/// This value receives events and returns work. The caller passes the time. A session that cannot be written stays in
/// memory and is retried after a delay; it is lost only if the host dies.
struct SaveQueue {
    enum Work: Hashable {
        /// Mark the store as in use by a running host. A later host that finds this mark waits for the leases of
        /// workers to expire.
        case markRunning
        /// Write the records of these sessions in one transaction.
        case save(Set<String>)
    }

    private enum Phase {
        case idle
        /// A round of writes is in progress.
        /// - hasTriedToMark: this round has already attempted to mark the store as in use.
        case writing(hasTriedToMark: Bool)
    }

    private static let timing = Retry.Timing(first: .milliseconds(250), maximum: .seconds(1))
    /// The maximum number of sessions in one transaction.
    private static let maximumCount = 500

    private var phase = Phase.idle
    private var unsaved: Set<String> = []
    /// Sessions that are about to be deleted, with the number of pending deletions. Writing one now would restore it.
    private var closing: [String: Int] = [:]
    private var retry = Retry()
    /// Whether the store is marked as in use.
    private(set) var isMarkedRunning = false
    /// Whether the last write failed.
    private(set) var isFailing = false

    var isEmpty: Bool { unsaved.isEmpty }
    /// When the next retry is due; `nil` during a round of writes.
    var due: MonotonicInstant? {
        if case .idle = phase { retry.due } else { nil }
    }

    // MARK: - Sessions

    /// Adds a session that has to be written.
    mutating func add(_ id: String) { unsaved.insert(id) }

    /// Removes a session that the caller is about to write.
    /// - Returns: `false` when it must not be written because it is about to be deleted. It is written later if the
    ///   deletion fails.
    mutating func take(_ id: String) -> Bool {
        guard closing[id] == nil else {
            unsaved.insert(id)
            return false
        }
        unsaved.remove(id)
        return true
    }

    mutating func beginClosing(_ id: String) { closing[id, default: 0] += 1 }

    /// Ends a deletion.
    /// - Parameter isDeleted: whether the session was deleted from the store. Another deletion of it may still be
    ///   pending, and fail.
    mutating func endClosing(_ id: String, isDeleted: Bool) {
        closing[id]? -= 1
        if closing[id] == 0 { closing[id] = nil }
        if isDeleted { unsaved.remove(id) }
    }

    // MARK: - Rounds

    /// Begins a round of writes.
    /// - Returns: `false` when a round is in progress.
    mutating func begin() -> Bool {
        guard case .idle = phase else { return false }
        retry.begin()
        phase = .writing(hasTriedToMark: false)
        return true
    }

    /// Returns the next work of the round; `nil` at its end. Then call ``succeeded(_:)`` or ``failed(_:at:)``.
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
        // As long as the store is not marked as in use, it counts as failing, even if sessions can be written.
        guard isMarkedRunning else { return false }
        defer { isFailing = false }
        retry.succeeded()
        return isFailing
    }

    /// - Parameter work: the work that failed; `nil` for a write by the caller.
    /// - Returns: whether this is the first failure since a success.
    mutating func failed(_ work: Work?, at now: MonotonicInstant) -> Bool {
        if case .save(let ids) = work {
            unsaved.formUnion(ids)
            // The sessions are written with the next change or after a delay.
            phase = .idle
        }
        retry.failed(at: now, Self.timing)
        defer { isFailing = true }
        return !isFailing
    }
}
