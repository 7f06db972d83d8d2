import Glibc
import Synchronization
import ZeroMQ

/// Writes lines to a descriptor without blocking its caller. A paused terminal, or a reader that does not read, costs
/// lines, not the process: what cannot be written at once waits in a bounded queue, and what does not fit there is
/// counted, and said when there is room again.
///
/// `O_NONBLOCK` belongs to the open file, which other processes share. A pipe or a terminal is therefore opened again.
package final class BoundedOutput: Sendable {
    private enum Kind {
        /// Opened again, and never blocking.
        case own(Int32)
        case socket
        /// A regular file, which does not block.
        case file
        /// It could not be opened again. It is asked before each write, which can block only if another process writes
        /// to it at the same time.
        case shared
    }

    private enum Outcome {
        case written(Int)
        /// Nothing can be written now.
        case later
        /// Nothing can be written any more, or the disk is full.
        case failed
    }

    private struct State {
        var kind: Kind?
        /// What could not be written yet.
        var queue: [UInt8] = []
        /// Lines that were lost, and not yet said.
        var unsaid: UInt64 = 0
        var lost: UInt64 = 0
        var droppedBytes: UInt64 = 0
        var hasThread = false
    }

    /// The maximum size of the queue in bytes.
    private static let maximumQueue = 256 << 10
    /// The number of bytes that a pipe accepts without blocking when it is ready.
    private static let chunk = Int(PIPE_BUF)

    private let descriptor: Int32
    private let state = Mutex(State())

    /// - Parameter descriptor: stays the caller's, and must stay open.
    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The number of lines that were lost.
    package var lostLines: UInt64 { state.withLock { $0.lost } }
    /// The number of bytes that ``pass(_:)`` has dropped.
    package var droppedBytes: UInt64 { state.withLock { $0.droppedBytes } }

    /// Writes a text that ends with a line feed, or queues it.
    package func write(_ text: String) {
        var text = text
        let needsThread = state.withLock { state -> Bool in
            drain(&state)
            text.withUTF8 { line in
                guard state.queue.count + line.count <= Self.maximumQueue else { return lose(1, &state) }
                sayLoss(&state)
                state.queue += line
            }
            drain(&state)
            guard !state.queue.isEmpty, !state.hasThread else { return false }
            state.hasThread = true
            return true
        }
        if needsThread { startThread() }
    }

    /// Writes the output of another process, as far as that does not block and no line waits. The rest is dropped.
    package func pass(_ bytes: UnsafeRawBufferPointer) {
        state.withLock { state in
            drain(&state)
            var rest = bytes[...]
            while state.queue.isEmpty, !rest.isEmpty {
                guard case .written(let count) = attempt(UnsafeRawBufferPointer(rebasing: rest), kind(&state)) else {
                    break
                }
                rest = rest.dropFirst(count)
            }
            state.droppedBytes += UInt64(rest.count)
        }
    }

    /// Writes what waits, for a limited time.
    package func flush(within limit: Duration) {
        let end = MonotonicInstant.now + limit
        while true {
            let isEmpty = state.withLock { state in
                drain(&state)
                return state.queue.isEmpty
            }
            let rest = end - .now
            guard !isEmpty, rest > .zero else { return }
            waitUntilWritable(milliseconds: Int32(rest / .milliseconds(1)) + 1)
        }
    }

    // MARK: - Writing

    private func drain(_ state: inout State) {
        while !state.queue.isEmpty {
            let kind = kind(&state)
            switch state.queue.withUnsafeBytes({ attempt($0, kind) }) {
            case .written(let count):
                state.queue.removeFirst(count)
                if state.queue.isEmpty { sayLoss(&state) }
            case .later:
                return
            case .failed:
                let lines = state.queue.count { $0 == UInt8(ascii: "\n") }
                state.queue = []
                return lose(UInt64(max(lines, 1)), &state)
            }
        }
    }

    private func lose(_ lines: UInt64, _ state: inout State) {
        state.lost += lines
        state.unsaid += lines
    }

    private func sayLoss(_ state: inout State) {
        guard state.unsaid > 0 else { return }
        state.queue += Array("\(state.unsaid) lines were lost, because nobody read them\n".utf8)
        state.unsaid = 0
    }

    private func kind(_ state: inout State) -> Kind {
        if let kind = state.kind { return kind }
        let kind = open()
        state.kind = kind
        return kind
    }

    private func attempt(_ bytes: UnsafeRawBufferPointer, _ kind: Kind) -> Outcome {
        let count: Int
        switch kind {
        case .own(let own): count = Glibc.write(own, bytes.baseAddress, bytes.count)
        case .socket:
            count = send(
                descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        case .file: count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        case .shared:
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&request, 1, 0) > 0 else { return .later }
            count = Glibc.write(descriptor, bytes.baseAddress, min(bytes.count, Self.chunk))
        }
        if count > 0 { return .written(count) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .later : .failed
    }

    private func open() -> Kind {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .shared }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFSOCK: return .socket
        case S_IFIFO, S_IFCHR:
            let own = Glibc.open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
            return own >= 0 ? .own(own) : .shared
        default: return .shared
        }
    }

    // MARK: - Waiting

    private func waitUntilWritable(milliseconds: Int32) {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, milliseconds)
    }

    /// Starts a thread that writes the queue when that is possible, and ends when it is empty.
    private func startThread() {
        let this = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                // The argument is the pointer that `pthread_create` was called with.
                Unmanaged<BoundedOutput>.fromOpaque(argument!).takeRetainedValue().writeQueue()
                return nil
            }, this.toOpaque())
        if result == 0 {
            pthread_detach(thread)
        } else {
            this.release()
            state.withLock { $0.hasThread = false }
        }
    }

    private func writeQueue() {
        // A reader that is gone is an error of the write. Programs ignore the signal, but a library's user may not.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var isEmpty = false
        while !isEmpty {
            waitUntilWritable(milliseconds: -1)
            isEmpty = state.withLock { state in
                drain(&state)
                state.hasThread = !state.queue.isEmpty
                return state.queue.isEmpty
            }
        }
    }
}
