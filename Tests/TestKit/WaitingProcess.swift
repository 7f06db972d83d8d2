import Glibc
import Subprocess

/// A process that waits until the test ends it. It belongs to the process group of this one, as a script's program
/// belongs to the group of the script.
package final class WaitingProcess: Sendable {
    /// The process's ID.
    package let pid: Int32
    private let run: Task<Void, any Error>

    /// Starts the process, and waits until it runs.
    /// - Throws: ``NotReached`` when it does not start.
    package init() async throws {
        let (starts, start) = AsyncStream<Int32>.makeStream()
        run = Task {
            defer { start.finish() }
            _ = try await Subprocess.run(
                .name("sleep"), arguments: ["600"], input: .none, output: .discarded, error: .discarded
            ) { execution in
                start.yield(execution.processIdentifier.value)
            }
        }
        var starting = starts.makeAsyncIterator()
        guard let pid = await starting.next() else { throw NotReached(description: "a second process") }
        self.pid = pid
    }

    deinit { run.cancel() }

    /// Kills the process, and waits until it is gone.
    package func end() async throws {
        kill(pid, SIGKILL)
        try await run.value
    }
}
