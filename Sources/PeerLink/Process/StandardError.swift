import Glibc

/// The process's standard error, for people. Writing never blocks; see ``BoundedOutput``.
package enum StandardError {
    /// How long the end of the process waits for lines that could not be written yet.
    private static let lastWait = Duration.seconds(1)

    private static let output: BoundedOutput = {
        atexit { StandardError.output.flush(within: StandardError.lastWait) }
        return BoundedOutput(STDERR_FILENO)
    }()

    /// Lines that nobody read and that are lost.
    package static var lostLines: UInt64 { output.lostLines }
    /// Bytes that ``pass(_:)`` has dropped because they could not be written without blocking.
    package static var droppedBytes: UInt64 { output.droppedBytes }

    /// Writes a text and a line feed.
    package static func write(_ text: String) { output.write(text + "\n") }

    /// Says which log this is before the first line is written, for a line about what the log has lost.
    package static func name(_ label: String) { output.name(label) }

    /// Writes lines of another process, as far as that does not block.
    package static func pass(_ bytes: UnsafeRawBufferPointer) { output.pass(bytes) }

    /// The stream for a log handler.
    package struct Stream: TextOutputStream, Sendable {
        private let label: String

        /// - Parameter label: the label of the log.
        package init(label: String) { self.label = label }

        package mutating func write(_ text: String) { output.write(text, label: label) }
    }
}
