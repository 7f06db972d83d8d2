import ArgumentParser
import Foundation
import LabClock
import OperatorKit
import PeerLink
import SystemPackage

/// Counts the instructions of a request, and those of a scene worker's start, with callgrind.
///
/// Their number depends little on the load of the machine. Each side of a request is counted in two runs, with few and
/// with many requests; the difference leaves out the start.
struct InstructionsCommand: BenchMode {
    static let configuration = CommandConfiguration(
        commandName: "instructions",
        abstract: "Counts the instructions of a request and its reply, and those of a scene worker's start.",
        discussion: """
            The figures are those of the main thread. 'worker' and 'host' are the two sides of a request. 'start' is \
            the whole life of a scene worker that gets one reply, sends its scene's state and ends; it is counted over \
            ipc only. Cryptography is not part of the figures, because libzmq does it in threads of its own. So over \
            curve, 'host' has in addition what it takes to know the key of a peer and to ask what the key allows.

            It needs valgrind and strip (Debian: valgrind, binutils), and takes about a minute. Build with -c release \
            first.

            EXAMPLES:
              scenebus bench instructions
              scenebus bench instructions --outstanding 1
              scenebus bench instructions --transport curve
              scenebus bench instructions --check
            """)

    @Option(help: "The transport.") var transport = BenchOptions.Transport.ipc
    @Option(help: "The size of a message in bytes.") var size = 256
    @Option(help: "The number of outstanding requests.") var outstanding = 1000
    @Option(help: "The number of requests in the longer run.") var count = 15_000
    @Flag(help: "Print JSON.") var json = false
    @Flag(help: "Fail if a request or a start takes 3 % more than its budget.") var check = false

    func execute() async throws {
        try await BenchInterruption.run {
            let comparison = try await measure()
            try comparison.show(json: json)
            if check { try InstructionBudget.check(comparison.object["result"] ?? [:]) }
        }
    }

    func validate() throws {
        guard outstanding > 0, count >= 3 * outstanding, count >= 3000 else {
            throw ValidationError("--count must be at least 3000, and at least three times --outstanding")
        }
        guard !check || (size, outstanding, transport) == (256, 1000, .ipc) else {
            throw ValidationError("--check is for requests of 256 bytes over ipc, of which 1000 are outstanding")
        }
    }

    /// The path of valgrind; `nil` if it is not installed.
    static var valgrind: FilePath? { path(of: "valgrind") }

    private static func path(of program: String) -> FilePath? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }.map {
            FilePath($0)
        }
    }

    func measure() async throws -> Comparison {
        guard let valgrind = Self.valgrind, let strip = Self.path(of: "strip") else {
            throw CommandError(
                .failure, "valgrind and strip are needed to count instructions (Debian: valgrind, binutils)")
        }
        let folder = FilePath(try PrivateFolder.makeTemporary("scenebus-bench"))
        defer { try? FileManager.default.removeItem(atPath: folder.string) }
        // valgrind cannot read the debug information of newer compilers.
        for name in ["scenebus-bench", "scenebus-bench-peer"] {
            let stripped = try await BenchProcess(
                "strip", strip,
                ["--strip-debug", "-o", folder.appending(name).string, BenchProcess.ownFolder.appending(name).string])
            stripped.finish()
        }
        let run = CountedRun(
            valgrind: valgrind, folder: folder, transport: transport, size: size, outstanding: outstanding)
        var figures: [String: Double] = [:]
        for side in CountedRun.Side.allCases {
            let few = try await run.instructions(of: side, requests: count / 3)
            let many = try await run.instructions(of: side, requests: count)
            figures[side.rawValue] = (many - few) / Double(count - count / 3)
        }
        figures["both"] = figures.values.reduce(0, +)
        if transport == .ipc { figures["start"] = try await run.instructionsOfStart() }
        let names = ["worker", "host", "both", "start"].filter { figures[$0] != nil }
        return Comparison("instructions", transport: transport.rawValue, names, results: [figures], floors: [])
    }
}

/// One run of a host and a worker, one of them under callgrind.
@MainActor
private struct CountedRun {
    enum Side: String, CaseIterable {
        case worker, host
    }

    let valgrind: FilePath
    /// The folder of the programs, the host's sockets and the counts.
    let folder: FilePath
    let transport: BenchOptions.Transport
    let size: Int
    let outstanding: Int

    /// - Returns: the number of instructions that the side's main thread has executed.
    func instructions(of side: Side, requests: Int) async throws -> Double {
        let name = "\(side)-\(requests)"
        let (host, endpoint) = try await startHost(name, isCounted: side == .host)
        defer {
            host.finish()
            BenchKeys.end()
        }
        let numbers = outstanding == 1 ? [requests, size] : [requests, size, outstanding]
        let worker = try await start(
            "scenebus-bench-peer", [outstanding == 1 ? "rtt" : "pipeline", endpoint] + numbers.map(String.init),
            counted: side == .worker ? name : nil)
        _ = try worker.figures()
        worker.finish()
        host.finish()
        return try total(name)
    }

    /// - Returns: the number of instructions that the main thread of a scene worker executes if its scene gets one reply.
    func instructionsOfStart() async throws -> Double {
        let (host, endpoint) = try await startHost("start", isCounted: false)
        defer { host.finish() }
        return try await BenchOptions.withSessions(1, endpoint) {
            let worker = try await start("scenebus-bench-peer", ["first", endpoint, "\(size)"], counted: "start")
            _ = try worker.figures()
            worker.finish()
            return try total("start")
        }
    }

    /// - Returns: The host, and its address.
    private func startHost(_ name: String, isCounted: Bool) async throws -> (process: BenchProcess, endpoint: String) {
        let keys = folder.appending("k-\(name)").string
        if transport == .curve { try BenchKeys.make(in: keys) }
        let host = try await start(
            "scenebus-bench",
            ["host", "--folder", folder.appending("h-\(name)").string] + transport.hostArguments(keys: keys),
            counted: isCounted ? name : nil)
        let endpoints = try host.line(beginning: "ready").split(separator: " ").dropFirst().map(String.init)
        guard let endpoint = endpoints.first(where: { $0.hasPrefix(transport.scheme) }) else {
            host.finish()
            throw CommandError(.failure, "the host does not listen on \(transport.rawValue)")
        }
        if transport == .curve { try BenchKeys.useHost(at: endpoint, in: keys) }
        return (host, endpoint)
    }

    /// - Parameter name: what to call the counts; `nil` if the program is not counted.
    private func start(_ program: String, _ arguments: [String], counted name: String?) async throws -> BenchProcess {
        let path = folder.appending(program)
        guard let name else { return try await BenchProcess(program, path, arguments) }
        return try await BenchProcess(
            program, valgrind,
            [
                "--quiet", "--tool=callgrind", "--separate-threads=yes",
                "--callgrind-out-file=\(folder.appending(name))", path.string,
            ] + arguments, slowdown: Slowdown.callgrind)
    }

    /// Reads the counts of a program that has ended.
    private func total(_ name: String) throws -> Double {
        // callgrind numbers the threads; the first is the main thread.
        let counts = try String(contentsOfFile: "\(folder.appending(name))-01", encoding: .utf8)
        guard let line = counts.split(separator: "\n").last(where: { $0.hasPrefix("totals:") }),
            let total = Double(line.dropFirst("totals:".count).trimmingCharacters(in: .whitespaces))
        else { throw CommandError(.failure, "callgrind has written no totals") }
        return total
    }
}
