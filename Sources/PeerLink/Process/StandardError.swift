import Glibc

/// The process's standard error, for people. Lines are written at once, without a buffer.
package enum StandardError {
    /// Writes a text and a line feed.
    package static func write(_ text: String) {
        _ = (text + "\n").withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }

    /// The number of bytes that a pipe accepts without blocking when it is ready.
    private static let chunk = Int(PIPE_BUF)
    /// Bytes that ``pass(_:)`` has dropped because they could not be written without blocking.
    @MainActor package private(set) static var droppedBytes: UInt64 = 0

    /// Writes the output of another process, as far as that does not block. A paused terminal, or a reader that does
    /// not read, must not stop the caller.
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
