import ArgumentParser
import Glibc
import PeerLink
import Synchronization
import SystemPackage
import UnixSignals

/// Ends the benchmark in order at a signal, so that nothing is left of its processes and folders.
///
/// The main actor is blocked while it waits for the output of a process. The signals are therefore handled elsewhere, and
/// a pipe becomes readable at the first one.
enum BenchInterruption {
    /// The number of the first signal; 0 before it.
    private static let number = Atomic<Int32>(0)
    private static let pipe = try? FileDescriptor.pipe()

    /// A descriptor that is readable after a signal; -1, which `poll` ignores, if there is none.
    static var descriptor: Int32 { pipe?.readEnd.rawValue ?? -1 }

    /// Ends the work that goes on when there was a signal.
    /// - Throws: `CancellationError`.
    static func check() throws {
        if number.load(ordering: .acquiring) != 0 { throw CancellationError() }
    }

    /// Runs a command, and cancels it at a signal.
    /// - Throws: the command's error; after a signal, the exit code that a shell shows for it.
    @MainActor
    static func run(_ command: @escaping @MainActor @Sendable () async throws -> Void) async throws {
        if let pipe {
            // A child process that inherited them would keep them open.
            for end in [pipe.readEnd, pipe.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        }
        let signals = await UnixSignalsSequence(trapping: EndingSignals.all)
        // The command ends when nobody reads its figures, unlike a host.
        signal(SIGPIPE, SIG_DFL)
        let work = Task { try await command() }
        let watching = Task.detached {
            for await signal in signals where number.load(ordering: .acquiring) == 0 {
                number.store(signal.rawValue, ordering: .releasing)
                // Nobody reads it, so the pipe stays readable.
                _ = try? pipe?.writeEnd.writeAll([UInt8(0)])
                work.cancel()
            }
        }
        defer { watching.cancel() }
        do {
            try await work.value
        } catch {
            let received = number.load(ordering: .acquiring)
            guard received != 0 else { throw error }
            throw ExitCode(128 + received)
        }
    }
}
