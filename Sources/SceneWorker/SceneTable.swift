import Bus
import CoordinatorKit

/// The scenes that a worker holds, and their states.
///
/// This value receives events and returns the consequences, which ``SceneResponder`` carries out.
///
///     active <-> suspended        the lease expires, and is renewed
///     active  -> frozen           the host is about to move the scene to another worker
///     any     -> kept             the link is lost: only the host's request resumes the scene
struct SceneTable {
    enum State {
        case active
        /// The lease has expired, so the host may treat this process as dead. The scene must not act until the host
        /// replies.
        case suspended
        /// The host has frozen the scene, to move it to another worker.
        case frozen
        /// The scene remains from a link that was lost.
        case kept
    }

    /// A number that distinguishes a session's scene from its earlier scenes on this worker.
    typealias Number = Int

    private struct Held {
        let number: Number
        /// The newest fencing token of the scene.
        var token: UInt64
        var state = State.active
        /// The number of unfinished inputs.
        var inputs = 0
        /// The waiters for the end of these inputs.
        var waiters: Set<Int> = []
        /// The state that was last sent to the host.
        var sent: UserActivity?
        /// Whether the scene has changed since its state was last sent.
        var isChanged = false
    }

    private var scenes: [String: Held] = [:]
    private var lastNumber = 0

    /// The scenes for the `held` field of a hello.
    var held: [HeldScene] {
        scenes.map { HeldScene(session: $0.key, token: $0.value.token) }.sorted { $0.session < $1.session }
    }

    func holds(_ id: String) -> Bool { scenes[id] != nil }
    func isActive(_ id: String) -> Bool { scenes[id]?.state == .active }
    func token(of id: String) -> UInt64? { scenes[id]?.token }
    func number(of id: String) -> Number? { scenes[id]?.number }

    /// Checks that a scene may act on a command.
    /// - Parameter token: the token in the command; `nil` for a command from this process.
    /// - Throws: ``SceneCommandError`` when the scene is not active, or the command is for another scene of the
    ///   session.
    func checkActive(_ id: String, token: UInt64?) throws(SceneCommandError) {
        guard let held = scenes[id] else { throw .unknownSession(id) }
        guard held.state == .active else {
            throw SceneCommandError(.suspended, "the scene of session '\(id)' is suspended")
        }
        // With another token the command is for a later scene of the session.
        if let token, token != held.token {
            throw SceneCommandError(.staleToken, "session '\(id)' has been placed again since")
        }
    }

    // MARK: - Holding scenes

    /// Adds a scene that is about to be made.
    mutating func hold(_ id: String, token: UInt64) {
        lastNumber += 1
        scenes[id] = Held(number: lastNumber, token: token)
    }

    /// Whether a request to discard a scene with this token, or an older one, applies to the scene that is held.
    func isMeant(_ id: String, by token: UInt64) -> Bool { scenes[id].map { $0.token <= token } ?? false }

    /// Removes a scene.
    /// - Returns: the waiters, which wait until the scene's inputs have ended.
    mutating func forget(_ id: String) -> Set<Int> { scenes.removeValue(forKey: id)?.waiters ?? [] }

    // MARK: - Inputs

    /// Counts an input that begins.
    mutating func beginInput(_ id: String) { scenes[id]?.inputs += 1 }

    /// Counts an input that has ended.
    /// - Parameter number: the scene's number when the input began. The call has no effect if the session has
    ///   another scene meanwhile.
    /// - Returns: the waiters, if this was the last input.
    mutating func endInput(_ id: String, _ number: Number?) -> Set<Int> {
        guard let held = scenes[id], held.number == number else { return [] }
        scenes[id]?.inputs -= 1
        guard held.inputs == 1 else { return [] }
        scenes[id]?.waiters = []
        return held.waiters
    }

    /// Adds a waiter for the end of a scene's inputs.
    /// - Returns: the waiter's number; `nil` when there are no unfinished inputs.
    mutating func waitForInputs(_ id: String) -> Int? {
        guard let held = scenes[id], held.inputs > 0 else { return nil }
        lastNumber += 1
        scenes[id]?.waiters.insert(lastNumber)
        return lastNumber
    }

    mutating func stopWaiting(_ waiter: Int, for id: String) { scenes[id]?.waiters.remove(waiter) }

    // MARK: - Suspending

    /// Freezes a scene that the host is about to move to another worker.
    mutating func freeze(_ id: String) { scenes[id]?.state = .frozen }

    /// Makes a scene active again.
    /// - Parameter token: the scene's new token; `nil` to keep the current one.
    mutating func resume(_ id: String, token: UInt64? = nil) {
        if let token { scenes[id]?.token = token }
        scenes[id]?.state = .active
        // The host may not have accepted the last state, so send it again.
        scenes[id]?.sent = nil
    }

    /// Suspends the active scenes after the lease has expired.
    /// - Returns: the scenes that were active.
    mutating func leaseExpired() -> Set<String> {
        let active = Set(scenes.filter { $0.value.state == .active }.keys)
        for id in active { scenes[id]?.state = .suspended }
        return active
    }

    /// Resumes the suspended scenes after the host has replied.
    /// - Returns: the scenes that are active again.
    mutating func leaseRenewed() -> Set<String> {
        let suspended = Set(scenes.filter { $0.value.state == .suspended }.keys)
        for id in suspended { resume(id) }
        return suspended
    }

    /// Keeps all scenes after the link was lost. Their states are sent again later, because a new host knows only what
    /// its store contains.
    /// - Returns: the scenes that were active.
    mutating func linkLost() -> Set<String> {
        let active = leaseExpired()
        for id in scenes.keys {
            scenes[id]?.state = .kept
            scenes[id]?.sent = nil
        }
        return active
    }

    // MARK: - Checkpoints

    mutating func contentChanged(_ id: String) { scenes[id]?.isChanged = true }

    /// Returns the active scenes that have changed since the last call. The states of the others are sent when they
    /// resume.
    mutating func takeChanged() -> [String] {
        let changed = scenes.filter { $0.value.isChanged }
        for id in changed.keys { scenes[id]?.isChanged = false }
        return changed.filter { $0.value.state == .active }.keys.sorted()
    }

    /// Notes that a scene's state is about to be sent.
    mutating func takeChange(of id: String) {
        scenes[id]?.isChanged = false
    }

    /// Returns whether a state differs from the one that was sent last, and marks it as sent.
    mutating func isNews(_ state: UserActivity, of id: String) -> Bool {
        guard scenes[id]?.sent != state else { return false }
        scenes[id]?.sent = state
        return true
    }
}
