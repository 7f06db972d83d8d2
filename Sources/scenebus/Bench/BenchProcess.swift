import Foundation
import ZeroMQ

/// Returns when standard input ends: its parent is gone, or is done.
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

/// A child process of the bench, read line by line, ended by closing its standard input.
final class BenchProcess {
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()
    private var rest = Data()

    /// When the process was asked for, in nanoseconds on the monotonic clock.
    let startedAt: UInt64
    var pid: Int32 { process.processIdentifier }

    /// Starts an executable that lies beside this one.
    /// - Throws: ``CommandError`` when it is not there.
    init(_ name: String, _ arguments: [String]) throws {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        process.executableURL = own.appendingPathComponent(name)
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = input
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        startedAt = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        do {
            try process.run()
        } catch {
            throw CommandError(
                CommandError.failure, "cannot start \(name): it is built with 'swift build', beside scenebus itself")
        }
    }

    /// The next line that it prints.
    /// - Throws: ``CommandError`` when it ends instead.
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
                    CommandError.failure,
                    "\(process.executableURL?.lastPathComponent ?? "") ended before it was done: see above")
            }
            rest += more
        }
    }

    /// Reads up to a line that begins with a word.
    func line(beginning word: String) throws -> String {
        while true {
            let line = try line()
            if line.hasPrefix(word) { return line }
        }
    }

    /// The figures of its next line of the form `key=value key=value`.
    func figures() throws -> [String: Double] {
        while true {
            let pairs = try line().split(separator: " ").map { $0.split(separator: "=") }
            let figures = pairs.compactMap { pair in
                pair.count == 2 ? Double(pair[1]).map { (String(pair[0]), $0) } : nil
            }
            if !figures.isEmpty { return Dictionary(figures, uniquingKeysWith: { $1 }) }
        }
    }

    /// Closes its standard input and waits for its end.
    func finish() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Ends a process that does not watch its standard input.
    func terminate() {
        process.terminate()
        process.waitUntilExit()
    }

    deinit {
        if process.isRunning { process.terminate() }
    }
}
