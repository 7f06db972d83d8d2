import Monotonic

/// Waits until a condition holds.
///
/// All tests of a target share the main actor. With a sanitizer, or on a busy machine, one may wait minutes for its turn.
/// - Parameters:
///   - what: names the condition in the error.
///   - turn: what is done between two checks. By default it leaves the machine to others for a moment.
/// - Throws: ``NotReached`` when the condition does not hold within the limit; also what the condition throws.
package func until(
    _ what: String, within limit: Duration = .seconds(180), isolation: isolated (any Actor)? = #isolation,
    turn: () async throws -> Void = { try await Task.sleep(for: .milliseconds(2)) },
    _ condition: () async throws -> Bool
) async throws {
    let end = MonotonicInstant.now + limit
    while try await !condition() {
        guard MonotonicInstant.now < end else { throw NotReached(description: "not within \(limit): \(what)") }
        try await turn()
    }
}

/// Waits until a condition holds that costs more to look at than a variable: files, processes, what a server says.
/// - Parameters:
///   - what: names the condition in the error.
///   - pause: how long the machine is left to others between two checks.
/// - Throws: as the other one.
package func until(
    _ what: String, every pause: Duration, within limit: Duration = .seconds(180),
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
    try await until(
        what, within: limit, isolation: isolation, turn: { try await Task.sleep(for: pause) }, condition)
}

/// The error when a condition that a test waits for does not come true.
package struct NotReached: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
