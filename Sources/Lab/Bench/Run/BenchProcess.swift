import OperatorKit
import LabClock
import PeerLink
import Glibc
import Subprocess
import SystemPackage
import ZeroMQ

/// Returns when standard input ends, because the parent has closed it or ended.
@MainActor
func endOfInput() async {
    let (ends, end) = AsyncStream<Void>.makeStream()
    let source = DescriptorSource(STDIN_FILENO) {
        var byte: UInt64 = 0
        if read(STDIN_FILENO, &byte, 8) <= 0 { end.finish() }
    }
    for await _ in ends {}
    source.cancel()
}

/// A child process of the benchmark. Its output is read line by line; closing its standard input ends it.
@MainActor
final class BenchProcess {
    let pid: Int32
    /// The time of the start, in nanoseconds on the monotonic clock.
    let startedAt: UInt64
    private let name: String
    private let input: FileDescriptor
    private let output: FileDescriptor
    private var isInputOpen = true
    /// The process is not reaped before this ends: until then its id is no other process's.
    private let reaping: AsyncStream<Void>.Continuation
    /// Whether it may have been reaped, so that it must not be killed any more.
    private var mayBeReaped = false
    /// Whether its output has ended, and with it the process.
    private var isOver = false
    private var rest: [UInt8] = []
    private var source: DescriptorSource?

    /// Starts an executable from this one's folder.
    /// - Throws: ``CommandError`` when it does not exist.
    convenience init(_ name: String, _ arguments: [String]) async throws {
        try await self.init(name, Self.ownFolder.appending(name), arguments)
    }

    /// Starts an executable.
    /// - Parameters:
    ///   - name: its name in errors.
    ///   - slowdown: by how much a profiler slows it down.
    /// - Throws: ``CommandError`` when it does not exist.
    init(_ name: String, _ executable: FilePath, _ arguments: [String], slowdown: Int = 1) async throws {
        let (input, output) = (try Self.pipe(), try Self.pipe())
        let (ends, end) = AsyncStream<Void>.makeStream()
        let (starts, start) = AsyncStream<(pid: Int32, time: UInt64)>.makeStream()
        // The process runs in a detached task, because the methods below block this actor while they wait for its
        // output.
        Task.detached {
            let time = MonotonicTime.nanoseconds
            _ = try? await Subprocess.run(
                .path(executable), arguments: Arguments(arguments),
                environment: .inherit.updating([.init(stringLiteral: Slowdown.variable): "\(slowdown)"]),
                input: .fileDescriptor(input.readEnd, closeAfterSpawningProcess: true),
                output: .fileDescriptor(output.writeEnd, closeAfterSpawningProcess: true), error: .currentStandardError
            ) { execution in
                start.yield((execution.processIdentifier.value, time))
                for await _ in ends {}
            }
            start.finish()
        }
        // In a task of its own, which is not cancelled: a process that nobody waits for would go on after the benchmark.
        let starting = Task { () -> (pid: Int32, time: UInt64)? in
            for await start in starts { return start }
            return nil
        }
        guard let started = await starting.value else {
            try? input.writeEnd.close()
            try? output.readEnd.close()
            throw CommandError(.failure, "cannot start \(name) beside scenebus; build it with 'swift build'")
        }
        self.name = name
        pid = started.pid
        startedAt = started.time
        self.input = input.writeEnd
        self.output = output.readEnd
        reaping = end
    }

    static var ownFolder: FilePath {
        guard let path = realpath("/proc/self/exe", nil) else { return "." }
        defer { free(path) }
        return FilePath(platformString: path).removingLastComponent()
    }

    private static func pipe() throws -> (readEnd: FileDescriptor, writeEnd: FileDescriptor) {
        let ends = try FileDescriptor.pipe()
        // Another child process that inherited one of the ends would keep it open.
        for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    /// How long a process may print nothing, in milliseconds, before it counts as stuck. A round prints its figures only at
    /// its end.
    private static let patience: Int32 = 3_600_000
    /// How long it may take to end, in milliseconds.
    private static let patienceAtEnd: Int32 = 30_000

    /// Waits until there is more output, or its end.
    /// - Parameter endsAtSignal: whether to wait no longer when this process gets a signal.
    private func waitForOutput(_ milliseconds: Int32, endsAtSignal: Bool = false) -> Bool {
        var descriptors = [output.rawValue, endsAtSignal ? BenchInterruption.descriptor : -1].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        while true {
            let count = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
            if count >= 0 || errno != EINTR { return count != 0 }
        }
    }

    /// Reads more of its output.
    /// - Returns: `false` at the end.
    private func readMore() -> Bool {
        guard !isOver else { return false }
        let more = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = (try? output.read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
        }
        rest += more
        isOver = more.isEmpty
        return !isOver
    }

    /// Takes the first complete line from what has been read.
    private func nextLine() -> String? {
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { rest.removeSubrange(...end) }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    /// Waits for the next line of its output.
    /// - Throws: ``CommandError`` when the process ends instead, and `CancellationError` when this process gets a signal.
    func line() throws -> String {
        while true {
            if let line = nextLine() { return line }
            guard isOver || waitForOutput(Self.patience, endsAtSignal: true) else {
                signal(SIGKILL)
                throw CommandError(.failure, "\(name) has printed nothing for an hour")
            }
            try BenchInterruption.check()
            guard readMore() else {
                throw CommandError(.failure, "\(name) ended too early; see its messages above")
            }
        }
    }

    /// Waits for a line that begins with a word.
    func line(beginning word: String) throws -> String {
        while true {
            let line = try line()
            if line.hasPrefix(word) { return line }
        }
    }

    /// Waits for the next line in the form `key=value key=value`.
    func figures() throws -> [String: Double] {
        while true {
            let figures = Self.figures(of: try line())
            if !figures.isEmpty { return figures }
        }
    }

    /// Parses the `key=value` pairs of a line.
    static func figures(of line: String) -> [String: Double] {
        var figures: [String: Double] = [:]
        for word in line.split(separator: " ") {
            let pair = word.split(separator: "=")
            if pair.count == 2, let number = Double(pair[1]) { figures[String(pair[0])] = number }
        }
        return figures
    }

    /// Passes each further line of the output to a closure, and `nil` at the end. The other reading methods must not be
    /// used afterwards.
    func watch(_ onLine: @escaping @MainActor (String?) -> Void) {
        source = DescriptorSource(output.rawValue) { [weak self] in
            guard let self else { return }
            guard readMore() else {
                source?.cancel()
                return onLine(nil)
            }
            while let line = nextLine() { onLine(line) }
        }
    }

    /// Sends a line to its standard input.
    func send(_ line: String) throws {
        try input.writeAll((line + "\n").utf8)
    }

    private func signal(_ number: Int32) {
        if !mayBeReaped { Glibc.kill(pid, number) }
    }

    /// Kills it and waits for its end.
    func kill() {
        signal(SIGKILL)
        finish()
    }

    /// Closes its standard input and waits for its end.
    func finish() {
        if isInputOpen { try? input.close() }
        isInputOpen = false
        source?.cancel()
        while !isOver {
            if !waitForOutput(Self.patienceAtEnd) { signal(SIGKILL) }
            if readMore() { rest = [] }
        }
        mayBeReaped = true
        reaping.finish()
    }

    isolated deinit {
        // The process ends when its standard input does, unless it has ended already.
        source?.cancel()
        if isInputOpen { try? input.close() }
        try? output.close()
        reaping.finish()
    }
}
