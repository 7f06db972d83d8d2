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
        /// Nothing can be written any more, or the disk is full. It has the system's error.
        case failed(Int32)
    }

    /// A line in the queue that says what is missing before it.
    private struct Notice {
        var range: Range<Int>
        let loss: OutputLoss
    }

    private struct State {
        var kind: Kind?
        /// The label of the log; `nil` if the output is not a log.
        var label: String?
        /// What could not be written yet.
        var queue: [UInt8] = []
        var notices: [Notice] = []
        /// What is missing, and is said neither yet nor in the queue.
        var unsaid = OutputLoss()
        /// Whether the last line was written in part.
        var isInLine = false
        var lost: UInt64 = 0
        var droppedBytes: UInt64 = 0
        var hasThread = false

        /// Notes that the first bytes of the queue were written.
        mutating func wrote(_ count: Int) {
            isInLine = queue[count - 1] != BoundedOutput.lineFeed
            queue.removeFirst(count)
            guard !notices.isEmpty else { return }
            notices.removeAll { $0.range.upperBound <= count }
            for index in notices.indices {
                let range = notices[index].range
                notices[index].range = max(range.lowerBound - count, 0)..<range.upperBound - count
            }
        }

        /// Drops the queue. What its notices would have said is said later.
        mutating func failed(_ error: Int32) {
            var lines = BoundedOutput.lines(in: queue[...])
            for notice in notices {
                lines -= BoundedOutput.lines(in: queue[notice.range])
                unsaid.add(notice.loss)
            }
            queue = []
            notices = []
            lose(lines: lines, error)
        }

        mutating func lose(lines: UInt64, _ error: Int32? = nil) {
            lost += lines
            unsaid.add(OutputLoss(lines: lines, error: error))
        }

        mutating func drop(bytes: Int, _ error: Int32?) {
            guard bytes > 0 else { return }
            droppedBytes += UInt64(bytes)
            unsaid.add(OutputLoss(bytes: UInt64(bytes), error: error))
        }

        /// Queues a line that says what is missing here.
        mutating func sayLoss() {
            guard !unsaid.isEmpty else { return }
            let start = queue.count
            if isInLine, queue.isEmpty { queue.append(BoundedOutput.lineFeed) }
            queue += Array((unsaid.notice(label: label) + "\n").utf8)
            notices.append(Notice(range: start..<queue.count, loss: unsaid))
            unsaid = OutputLoss()
        }
    }

    private static let lineFeed = UInt8(ascii: "\n")
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

    /// Says which log this is, so that its own lines have the form of the others.
    package func name(_ label: String) {
        state.withLock { $0.label = label }
    }

    /// Writes a text that ends with a line feed, or queues it.
    /// - Parameter label: the label of the log to which it belongs; `nil` if it does not say one.
    package func write(_ text: String, label: String? = nil) {
        var text = text
        let needsThread = state.withLock { state -> Bool in
            if let label { state.label = label }
            drain(&state)
            text.withUTF8 { text in
                guard state.queue.count + text.count <= Self.maximumQueue else {
                    return state.lose(lines: Self.lines(in: text))
                }
                state.sayLoss()
                state.queue += text
            }
            drain(&state)
            return Self.needsThread(&state)
        }
        if needsThread { startThread() }
    }

    /// Writes lines of another process, as far as that does not block and nothing waits. The rest is dropped, except that
    /// of a line that was written in part: the next line must not continue it.
    package func pass(_ bytes: UnsafeRawBufferPointer) {
        let needsThread = state.withLock { state -> Bool in
            drain(&state)
            if state.queue.isEmpty {
                state.sayLoss()
                drain(&state)
            }
            var rest = bytes[...]
            var error: Int32?
            while state.queue.isEmpty, !rest.isEmpty, error == nil {
                switch attempt(UnsafeRawBufferPointer(rebasing: rest), kind(&state)) {
                case .written(let count):
                    state.isInLine = rest[rest.startIndex + count - 1] != Self.lineFeed
                    rest = rest.dropFirst(count)
                case .later:
                    var end = rest.startIndex
                    if state.isInLine { end = rest.firstIndex(of: Self.lineFeed).map { $0 + 1 } ?? rest.endIndex }
                    state.queue += rest[..<end]
                    state.drop(bytes: rest.endIndex - end, nil)
                    return Self.needsThread(&state)
                case .failed(let code):
                    error = code
                }
            }
            state.drop(bytes: rest.count, error)
            return Self.needsThread(&state)
        }
        if needsThread { startThread() }
    }

    /// Writes what waits, for a limited time.
    package func flush(within limit: Duration) {
        let end = MonotonicInstant.now + limit
        while true {
            let isEmpty = state.withLock { state in
                if state.queue.isEmpty { state.sayLoss() }
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
                state.wrote(count)
                if state.queue.isEmpty { state.sayLoss() }
            case .later:
                return
            case .failed(let error):
                return state.failed(error)
            }
        }
    }

    private static func lines(in text: some Sequence<UInt8>) -> UInt64 {
        text.reduce(0) { $1 == lineFeed ? $0 + 1 : $0 }
    }

    /// Notes that a thread is needed that writes the queue.
    private static func needsThread(_ state: inout State) -> Bool {
        guard !state.queue.isEmpty, !state.hasThread else { return false }
        state.hasThread = true
        return true
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
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .later : .failed(count < 0 ? errno : EIO)
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
