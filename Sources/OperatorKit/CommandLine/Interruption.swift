import Glibc
import UnixSignals

/// Returns at Ctrl-C or SIGTERM.
package func untilInterrupted() async {
    for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { return }
}

/// Runs a body until it has ended, or until Ctrl-C or SIGTERM, which cancel it.
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

/// Lets what was printed be seen now, also by a pipe.
package func flushOutput() {
    fflush(nil)
}
