import CProcess
import Glibc
import Messaging
import Synchronization

/// The process's standard output, for the results of a command.
///
/// A command whose output cannot be written has failed, so that ends the process.
package enum StandardOutput {
    /// Lets each line that is printed be written at once, also to a pipe or a file. By default it would stay in a buffer of
    /// some KiB, so that the last lines of a process appear late, or not at all if it is killed.
    ///
    /// Call it first, before anything is printed.
    package static func bufferLines() { scenebus_buffer_lines() }

    /// The number of bytes that are collected before they are written.
    private static let bufferSize = 32 << 10
    private static let buffer = Mutex<[UInt8]>([])
    /// What has been done although the output cannot be written.
    private static let done = Mutex<String?>(nil)
    /// Whether people read along.
    private static let isTerminal = isatty(STDOUT_FILENO) == 1
    /// The output of a process that must not block.
    private static let bounded = BoundedOutput(STDOUT_FILENO)

    /// Sets what the process says on standard error, too, if the output cannot be written: what it has done, which the
    /// output would have told.
    package static func noteDone(_ what: String) { done.withLock { $0 = what } }

    /// Writes a text and a line feed. Without a terminal, it is collected until ``flush()``, or until there is much.
    package static func write(_ text: String) {
        let isDue = buffer.withLock { buffer in
            buffer += text.utf8
            buffer.append(UInt8(ascii: "\n"))
            return isTerminal || buffer.count >= bufferSize
        }
        if isDue { flush() }
    }

    /// Writes what was collected. Ends the process with the code 1 if that is not possible.
    package static func flush() {
        guard let error = buffer.withLock({ writeAll(&$0) }) else { return }
        // Other tools are ended by SIGPIPE then, which this process ignores.
        if error == EPIPE { exit(128 + SIGPIPE) }
        let rest = done.withLock { $0.map { "; \($0)" } ?? "" }
        let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "scenebus"
        StandardError.write("\(name): cannot write the output: \(String(cString: strerror(error)))\(rest)")
        exit(ProcessExitCode.failure.rawValue)
    }

    /// Writes a text and a line feed if that is possible without blocking.
    package static func announce(_ text: String) { bounded.write(text + "\n") }

    /// - Returns: the error's number; `nil` when all is written.
    private static func writeAll(_ buffer: inout [UInt8]) -> Int32? {
        var start = 0
        while start < buffer.count {
            let count = buffer.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress! + start, $0.count - start)
            }
            if count >= 0 {
                start += count
            } else if errno == EAGAIN {
                // Another process that shares the output has made it non-blocking.
                var request = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                _ = poll(&request, 1, -1)
            } else if errno != EINTR {
                let error = errno
                buffer = []
                return error
            }
        }
        buffer.removeAll(keepingCapacity: true)
        return nil
    }
}
