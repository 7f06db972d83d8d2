import Glibc
import Subprocess

/// A process that waits until the test ends it. Unless it leads a group, it belongs to the process group of this one, as a
/// script's program belongs to the group of the script.
package final class WaitingProcess: Sendable {
    /// The process's ID.
    package let pid: Int32
    private let run: Task<Int32?, any Error>

    /// Starts the process, and waits until it runs.
    /// - Parameters:
    ///   - leadsGroup: whether it is the leader of a process group of its own, as a plugin is.
    ///   - variable: a variable of its environment, with its value.
    /// - Throws: ``NotReached`` when it does not start.
    package init(leadsGroup: Bool = false, variable: (name: String, value: String)? = nil) async throws {
        var options = PlatformOptions()
        if leadsGroup { options.processGroupID = 0 }
        var environment = Environment.inherit
        if let variable {
            environment = environment.updating([.init(stringLiteral: variable.name): variable.value])
        }
        let (starts, start) = AsyncStream<Int32>.makeStream()
        run = Task { [options, environment] in
            defer { start.finish() }
            let outcome = try await Subprocess.run(
                .name("sleep"), arguments: ["600"], environment: environment, platformOptions: options, input: .none,
                output: .discarded, error: .discarded
            ) { execution in
                start.yield(execution.processIdentifier.value)
            }
            if case .signaled(let signal) = outcome.terminationStatus { return signal }
            return nil
        }
        var starting = starts.makeAsyncIterator()
        guard let pid = await starting.next() else { throw NotReached(description: "a second process") }
        self.pid = pid
    }

    deinit { run.cancel() }

    /// Kills the process, and waits until it is gone.
    package func end() async throws {
        kill(pid, SIGKILL)
        _ = try await run.value
    }

    /// Waits until somebody else has ended it.
    /// - Returns: the number of the signal that has ended it; `nil` for none.
    package func signal() async throws -> Int32? { try await run.value }
}
