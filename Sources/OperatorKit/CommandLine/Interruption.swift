import PeerLink
import UnixSignals

/// Runs a body, and cancels it at Ctrl-C or SIGTERM, from its first moment on.
/// - Returns: whether it was interrupted.
/// - Throws: the body's error, unless it was interrupted.
@discardableResult
package func untilInterrupted(_ body: @escaping @MainActor @Sendable () async throws -> Void) async throws -> Bool {
    // Before the body: who has seen the first line of a command may end it.
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    return try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
            try await body()
            return false
        }
        group.addTask {
            for await _ in signals { break }
            return true
        }
        defer { group.cancelAll() }
        return try await group.next() ?? false
    }
}

/// Writes the collected output, which is buffered unless it is a terminal. Ends the process if that is not possible.
package func flushOutput() {
    StandardOutput.flush()
}
