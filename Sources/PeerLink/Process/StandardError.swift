import Glibc

/// The process's standard error: for people, line by line, and without a buffer.
package enum StandardError {
    /// Writes the text and a line feed.
    package static func write(_ text: String) {
        _ = (text + "\n").withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }

    /// A pipe that is ready takes so much without blocking.
    private static let chunk = Int(PIPE_BUF)
    /// Bytes that ``pass(_:)`` has dropped, because nobody took them.
    @MainActor package private(set) static var droppedBytes: UInt64 = 0

    /// Writes what another process has written, as far as that does not block: a terminal that is held, or a reader that does not
    /// read, must not stop the caller.
    @MainActor
    package static func pass(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            var request = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            guard poll(&request, 1, 0) > 0, request.revents & Int16(POLLOUT) != 0 else { break }
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(chunk))
            let count = Glibc.write(STDERR_FILENO, part.baseAddress, part.count)
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        droppedBytes += UInt64(rest.count)
    }
}
