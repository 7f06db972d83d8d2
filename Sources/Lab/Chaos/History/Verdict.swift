/// What is promised of a running application, whatever fails.
package enum Promise: String, Codable, CaseIterable, Sendable {
    case acknowledgedAndLost, tookEffectTwice, deniedButHandled, wentBackwards, latestValueMissed, ownWriteNotRead
    case staleTooLong, sessionInTwoPlaces, sessionLost, sessionWithoutScene, awayTooLong, stateLost
    case hungRequest, endedEarly, stayedDetached, secondHost, notReplaced, endedByItself, leaked, memoryUnbounded

    /// What its violation is, for the table.
    package var title: String {
        switch self {
        case .acknowledgedAndLost: "acknowledged and lost"
        case .tookEffectTwice: "took effect twice"
        case .deniedButHandled: "said to be not handled, and was"
        case .wentBackwards: "went backwards"
        case .latestValueMissed: "latest value missed"
        case .ownWriteNotRead: "own write not read"
        case .staleTooLong: "container stale for too long"
        case .sessionInTwoPlaces: "session in two places"
        case .sessionLost: "session lost"
        case .sessionWithoutScene: "session without a scene at the end"
        case .awayTooLong: "session without a scene for too long"
        case .stateLost: "state lost beyond the last checkpoint"
        case .hungRequest: "hung request"
        case .endedEarly: "timed out before its deadline"
        case .stayedDetached: "process that runs, and is not attached"
        case .secondHost: "second host that was let in"
        case .notReplaced: "hung process that was not replaced"
        case .endedByItself: "process that ended by itself"
        case .leaked: "leaked process or descriptor"
        case .memoryUnbounded: "memory beyond its bound"
        }
    }
}

/// A promise that was not kept.
package struct Violation: Codable, Hashable, Sendable {
    package var promise: Promise
    /// When, in nanoseconds on the machine's clock.
    package var time: UInt64
    package var detail: String
}

/// What the checker found.
package struct Verdict: Codable, Hashable, Sendable {
    /// How often each kind of fault was made.
    package var faults: [String: Int] = [:]
    /// How often requests of each kind ended in each way.
    package var requests: [String: [String: Int]] = [:]
    package var violations: [Violation] = []
    /// Counts of what was looked at: a check that saw nothing proves nothing.
    package var checked: [String: Int] = [:]
    /// The longest time, in milliseconds, until the host knew that a worker was gone, by kind of fault.
    package var longestDetection: [String: Int] = [:]
    /// The longest time, in milliseconds, until a session that lost its worker had a scene again, by kind of fault.
    package var longestRestoration: [String: Int] = [:]

    /// The most memory that a process of each role had, in megabytes.
    package var largestMemory: [String: Int] = [:]

    package var isClean: Bool { violations.isEmpty }

    package func count(of promise: Promise) -> Int { violations.count { $0.promise == promise } }
}
