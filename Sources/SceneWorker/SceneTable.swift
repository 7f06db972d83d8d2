import Bus
import CoordinatorKit

/// The scenes that a worker holds, and what may be done with each. A value: events in, what follows from them out.
///
///     active <-> suspended        the lease expires, and is renewed
///     active  -> frozen           the host is about to run the scene elsewhere
///     any     -> kept             the link is lost: only the host's word resumes the scene
///
/// ``SceneResponder`` carries out what it decides.
struct SceneTable {
    enum State {
        case active
        /// The host may count this process as dead: until it says otherwise, the scene must not act.
        case suspended
        /// The host has suspended the scene, to run it elsewhere.
        case frozen
        /// The scene is left of a link that was lost.
        case kept
    }

    /// Tells what a worker holds of a session from what it has held of it before.
    typealias Number = Int

    private struct Held {
        let number: Number
        /// The fencing token that the scene was given last.
        var token: UInt64
        var state = State.active
        /// Inputs that it has not come to the end of.
        var inputs = 0
        /// Those who wait for their end.
        var waiters: Set<Int> = []
        /// The state that the host was sent last.
        var sent: UserActivity?
        /// It has changed since.
        var isChanged = false
    }

    private var scenes: [String: Held] = [:]
    private var lastNumber = 0

    /// What a hello says of the scenes.
    var held: [HeldScene] {
        scenes.map { HeldScene(session: $0.key, token: $0.value.token) }.sorted { $0.session < $1.session }
    }

    func holds(_ id: String) -> Bool { scenes[id] != nil }
    func isActive(_ id: String) -> Bool { scenes[id]?.state == .active }
    func token(of id: String) -> UInt64? { scenes[id]?.token }
    func number(of id: String) -> Number? { scenes[id]?.number }

    /// - Parameter token: the token that the sender of a command means; `nil` when it comes from this process.
    /// - Throws: ``SceneCommandError`` when the scene must not act, or is not the one that is meant.
    func checkActive(_ id: String, token: UInt64?) throws(SceneCommandError) {
        guard let held = scenes[id] else { throw .unknownSession(id) }
        guard held.state == .active else {
            throw SceneCommandError(.suspended, "the scene of session '\(id)' stands still")
        }
        // A host that has placed the session anew since does not mean this scene.
        if let token, token != held.token {
            throw SceneCommandError(.staleToken, "session '\(id)' has been placed anew since")
        }
    }

    // MARK: - Coming and going

    /// A scene is about to be made.
    mutating func hold(_ id: String, token: UInt64) {
        lastNumber += 1
        scenes[id] = Held(number: lastNumber, token: token)
    }

    /// Whether a command to end what has a token, or an older one, means the scene that is held.
    func isMeant(_ id: String, by token: UInt64) -> Bool { scenes[id].map { $0.token <= token } ?? false }

    /// A scene is gone.
    /// - Returns: those who wait for the end of its inputs.
    mutating func forget(_ id: String) -> Set<Int> { scenes.removeValue(forKey: id)?.waiters ?? [] }

    // MARK: - Inputs

    /// A scene has been given an input.
    mutating func beginInput(_ id: String) { scenes[id]?.inputs += 1 }

    /// An input has come to its end. Meanwhile its scene may have gone, and the session come back with another.
    /// - Returns: those who have waited for that.
    mutating func endInput(_ id: String, _ number: Number?) -> Set<Int> {
        guard let held = scenes[id], held.number == number else { return [] }
        scenes[id]?.inputs -= 1
        guard held.inputs == 1 else { return [] }
        scenes[id]?.waiters = []
        return held.waiters
    }

    /// Somebody waits until a scene has come to the end of its inputs.
    /// - Returns: who it is; `nil` when there are none.
    mutating func waitForInputs(_ id: String) -> Int? {
        guard let held = scenes[id], held.inputs > 0 else { return nil }
        lastNumber += 1
        scenes[id]?.waiters.insert(lastNumber)
        return lastNumber
    }

    mutating func stopWaiting(_ waiter: Int, for id: String) { scenes[id]?.waiters.remove(waiter) }

    // MARK: - Suspending

    /// The host has suspended a scene, to run it elsewhere.
    mutating func freeze(_ id: String) { scenes[id]?.state = .frozen }

    /// A scene acts again.
    /// - Parameter token: the token that it has from now on; `nil` for the one that it has.
    mutating func resume(_ id: String, token: UInt64? = nil) {
        if let token { scenes[id]?.token = token }
        scenes[id]?.state = .active
        // What was sent last may not have been taken.
        scenes[id]?.sent = nil
    }

    /// The lease has expired.
    /// - Returns: the scenes that must not act from now on.
    mutating func leaseExpired() -> Set<String> {
        let active = Set(scenes.filter { $0.value.state == .active }.keys)
        for id in active { scenes[id]?.state = .suspended }
        return active
    }

    /// The host has answered.
    /// - Returns: the scenes that act again.
    mutating func leaseRenewed() -> Set<String> {
        let suspended = Set(scenes.filter { $0.value.state == .suspended }.keys)
        for id in suspended { resume(id) }
        return suspended
    }

    /// The link is lost. A new host knows only what it has read: it is told everything again.
    /// - Returns: the scenes that have acted until now.
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

    /// The scenes that have changed since they were looked at last. Those that are suspended are sent when they resume.
    mutating func takeChanged() -> [String] {
        let changed = scenes.filter { $0.value.isChanged }
        for id in changed.keys { scenes[id]?.isChanged = false }
        return changed.filter { $0.value.state == .active }.keys.sorted()
    }

    /// Whether the host has not been sent this state yet. It counts as sent from now on.
    mutating func isNews(_ state: UserActivity, of id: String) -> Bool {
        guard scenes[id]?.sent != state else { return false }
        scenes[id]?.sent = state
        return true
    }
}
