import PeerLink
import LabClock
import OperatorKit
import Foundation
import Glibc
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
final class BenchProcess {
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()
    private var rest = Data()
    private var source: DescriptorSource?

    /// The time of the start, in nanoseconds on the monotonic clock.
    let startedAt: UInt64
    var pid: Int32 { process.processIdentifier }

    /// Starts an executable from this one's folder.
    /// - Throws: ``CommandError`` when it does not exist.
    init(_ name: String, _ arguments: [String]) throws {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        process.executableURL = own.appendingPathComponent(name)
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = input
        startedAt = MonotonicTime.nanoseconds
        do {
            try process.run()
        } catch {
            throw CommandError(.failure, "cannot start \(name) beside scenebus; build it with 'swift build'")
        }
    }

    /// Reads the next line of its output.
    /// - Throws: ``CommandError`` when the process ends instead.
    func line() throws -> String {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest = Data(rest[rest.index(after: end)...])
                return line
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw CommandError(
                    .failure,
                    "\(process.executableURL?.lastPathComponent ?? "") ended too early; see its messages above")
            }
            rest += more
        }
    }

    /// Reads until a line that begins with a word.
    func line(beginning word: String) throws -> String {
        while true {
            let line = try line()
            if line.hasPrefix(word) { return line }
        }
    }

    /// Reads the next line in the form `key=value key=value`.
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
    @MainActor
    func watch(_ onLine: @escaping @MainActor (String?) -> Void) {
        let descriptor = output.fileHandleForReading.fileDescriptor
        var partial: [UInt8] = []
        source = DescriptorSource(descriptor) { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else {
                self?.source?.cancel()
                return onLine(nil)
            }
            partial += buffer[..<count]
            while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: partial[..<end], as: UTF8.self)
                partial.removeSubrange(...end)
                onLine(line)
            }
        }
    }

    /// Sends a line to its standard input.
    func send(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Kills it and waits for its end.
    func kill() {
        Glibc.kill(pid, SIGKILL)
        process.waitUntilExit()
    }

    /// Closes its standard input and waits for its end.
    func finish() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Terminates a process that does not watch its standard input.
    func terminate() {
        process.terminate()
        process.waitUntilExit()
    }

    deinit {
        if process.isRunning { process.terminate() }
    }
}
