import PeerLink
import UnixSignals

/// Returns at Ctrl-C or SIGTERM.
package func untilInterrupted() async {
    for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { return }
}

/// Runs a body, and cancels it at Ctrl-C or SIGTERM.
/// - Returns: whether it was interrupted.
/// - Throws: the body's error, unless it was interrupted.
@discardableResult
package func untilInterrupted(_ body: @escaping @MainActor @Sendable () async throws -> Void) async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
            try await body()
            return false
        }
        group.addTask {
            await untilInterrupted()
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
