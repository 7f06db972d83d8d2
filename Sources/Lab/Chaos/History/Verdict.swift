/// The guarantees of a running application under faults.
package enum Promise: String, Codable, CaseIterable, Sendable {
    case acknowledgedAndLost, tookEffectTwice, deniedButHandled, wentBackwards, latestValueMissed, ownWriteNotRead
    case staleTooLong, sessionInTwoPlaces, sessionLost, sessionWithoutScene, awayTooLong, heldWithoutCause, stateLost
    case hungRequest, endedEarly, stayedDetached, secondHost, notReplaced, endedByItself, leaked, memoryUnbounded
    case crowdedOut, notIsolated, revokedAttached, replacedAttached
    case shownBackwards, shownTooLate, lastStateNotShown, watchEnded, typedLost

    /// The title of its violation for the report.
    package var title: String {
        switch self {
        case .acknowledgedAndLost: "acknowledged and lost"
        case .tookEffectTwice: "took effect twice"
        case .deniedButHandled: "handled although reported as not handled"
        case .wentBackwards: "went backwards"
        case .latestValueMissed: "latest value missed"
        case .ownWriteNotRead: "own write not read"
        case .staleTooLong: "container stale for too long"
        case .sessionInTwoPlaces: "session in two places"
        case .sessionLost: "session lost"
        case .sessionWithoutScene: "session without a scene at the end"
        case .awayTooLong: "session without a scene for too long"
        case .heldWithoutCause: "session held without a cause"
        case .stateLost: "state lost beyond the last checkpoint"
        case .hungRequest: "hung request"
        case .endedEarly: "timed out before its deadline"
        case .stayedDetached: "running process not attached"
        case .secondHost: "second host admitted"
        case .notReplaced: "hung process not replaced"
        case .endedByItself: "process ended unexpectedly"
        case .leaked: "leaked process or descriptor"
        case .memoryUnbounded: "memory beyond its bound"
        case .crowdedOut: "crowded out by a greedy peer"
        case .notIsolated: "crashing scene not isolated"
        case .revokedAttached: "revoked key with a link"
        case .replacedAttached: "replaced key accepted after its end"
        case .shownBackwards: "watcher shown an older state"
        case .shownTooLate: "watcher shown a change too late"
        case .lastStateNotShown: "last state not shown to a watcher"
        case .watchEnded: "watch of an open session ended"
        case .typedLost: "typed, answered and lost"
        }
    }
}

/// A violation of a guarantee.
package struct Violation: Codable, Hashable, Sendable {
    package var promise: Promise
    /// The time in nanoseconds on the machine's monotonic clock.
    package var time: UInt64
    package var detail: String
}

/// The result of the checker.
package struct Verdict: Codable, Hashable, Sendable {
    /// The number of faults of each kind.
    package var faults: [String: Int] = [:]
    /// The number of requests of each kind by outcome.
    package var requests: [String: [String: Int]] = [:]
    package var violations: [Violation] = []
    /// The number of observations of each check: a check without observations proves nothing.
    package var checked: [String: Int] = [:]
    /// The longest time in milliseconds until the host detected the loss of a worker, by kind of fault.
    package var longestDetection: [String: Int] = [:]
    /// The longest time in milliseconds until a session that had lost its worker had a scene again, by kind of fault.
    package var longestRestoration: [String: Int] = [:]

    /// How long processes waited for a processor during the run, in milliseconds.
    package var waitedForProcessor = 0
    /// The peak memory of the processes of each role, in megabytes.
    package var largestMemory: [String: Int] = [:]

    package var isClean: Bool { violations.isEmpty }

    package func count(of promise: Promise) -> Int { violations.count { $0.promise == promise } }
}
