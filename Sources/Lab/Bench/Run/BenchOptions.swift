import PeerLink
import OperatorKit
import ZeroMQ
import ArgumentParser
import Bus
import Messaging
import Foundation

/// The options of the benchmark's modes over sockets.
struct BenchOptions: ParsableArguments {
    enum Transport: String, ExpressibleByArgument, CaseIterable, Sendable {
        case ipc, tcp
        /// TCP with keys.
        case curve

        /// How its addresses begin.
        var scheme: String {
            switch self {
            case .ipc: "ipc"
            case .tcp, .curve: "tcp"
            }
        }

        /// The arguments that make the host listen.
        /// - Parameter keys: the folder of its keys.
        func hostArguments(keys: String) -> [String] {
            (self == .ipc ? [] : ["--listen", "tcp://127.0.0.1:*"]) + (self == .curve ? ["--keys", keys] : [])
        }
    }

    @Option(help: "The transport.") var transport = Transport.ipc
    @Option(help: "The number of rounds; each measures SceneBus and libzmq.") var rounds = 5
    @Flag(help: "Print JSON.") var json = false
    @Flag(help: "Measure while a monitor listens to the host's traffic.") var monitored = false

    /// The folder of the sockets while a mode runs.
    @MainActor private static var folder = ""
    /// The host's address on this machine, at which commands reach it without a key.
    @MainActor static var control: String { HostDirectory(folder: folder + "/h").endpoint }

    func validate() throws {
        guard (1...1000).contains(rounds) else { throw ValidationError("--rounds must be from 1 to 1000") }
    }

    /// Runs both sides in turn.
    /// - Parameter hostHandles: whether the host handles the benchmark's messages. If not, a plugin must.
    @MainActor
    func compare(
        _ mode: String, _ keys: [String], hostHandles: Bool = true,
        result: (_ host: String) async throws -> [String: Double],
        floor: (_ echo: String) async throws -> [String: Double]
    ) async throws -> Comparison {
        var results: [[String: Double]] = []
        var floors: [[String: Double]] = []
        try await withHost(handles: hostHandles) { host in
            let echoEndpoint = floorEndpoint(suffix: "echo")
            let echo = try await startFloor("echo", echoEndpoint)
            defer { echo.finish() }
            for _ in 0..<rounds {
                floors.append(try await floor(echoEndpoint))
                results.append(try await result(host))
            }
        }
        return Comparison(mode, transport: transport.rawValue, keys, results: results, floors: floors)
    }

    /// Runs a mode that has no floor.
    @MainActor
    func measure(
        _ mode: String, _ keys: [String], result: (_ host: String) async throws -> [String: Double]
    ) async throws -> Comparison {
        var results: [[String: Double]] = []
        try await withHost { host in
            for _ in 0..<rounds { results.append(try await result(host)) }
        }
        return Comparison(mode, transport: transport.rawValue, keys, results: results, floors: [])
    }

    /// Runs the host for the duration of a body, which gets its address.
    @MainActor
    private func withHost(handles: Bool = true, _ body: (_ host: String) async throws -> Void) async throws {
        let folder = try PrivateFolder.makeTemporary("scenebus-bench")
        Self.folder = folder
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let keys = folder + "/keys"
        if transport == .curve { try BenchKeys.make(in: keys) }
        let host = try await BenchProcess(
            "scenebus-bench",
            ["host", "--folder", folder + "/h"] + (handles ? [] : ["--handles-nothing"])
                + transport.hostArguments(keys: keys))
        defer { host.finish() }
        let endpoints = try host.line(beginning: "ready").split(separator: " ").dropFirst().map(String.init)
        guard let endpoint = endpoints.first(where: { $0.hasPrefix(transport.scheme) }) else {
            throw CommandError(.failure, "the host does not listen on \(transport.rawValue)")
        }
        if transport == .curve { try BenchKeys.useHost(at: endpoint, in: keys) }
        defer { if transport == .curve { BenchKeys.end() } }
        let monitor = monitored ? try await monitor(of: Self.control) : nil
        defer { monitor?.finish() }
        try await body(endpoint)
    }

    /// A monitor that reads all records and shows none.
    @MainActor
    func monitor(of endpoint: String) async throws -> BenchProcess {
        let monitor = try await BenchProcess("scenebus-bench", ["monitor", "--host", endpoint])
        _ = try monitor.line(beginning: "ready")
        return monitor
    }

    /// Runs a role of the benchmark's peer.
    @MainActor
    func peer(_ role: String, _ endpoint: String, _ numbers: [Int]) async throws -> [String: Double] {
        try await run("scenebus-bench-peer", role, endpoint, numbers)
    }

    /// Runs a role of the floor, the program that carries the same traffic with raw libzmq.
    @MainActor
    func floor(_ role: String, _ endpoint: String, _ numbers: [Int]) async throws -> [String: Double] {
        try await run("scenebus-bench-floor", role, endpoint, numbers)
    }

    @MainActor
    private func run(
        _ name: String, _ role: String, _ endpoint: String, _ numbers: [Int]
    ) async throws -> [String: Double] {
        let process = try await BenchProcess(name, [role, endpoint] + numbers.map(String.init))
        defer { process.finish() }
        return try process.figures()
    }

    /// An address for the sockets of the floor, which is raw libzmq.
    @MainActor
    func floorEndpoint(suffix: String) -> String {
        switch transport {
        case .ipc: return "ipc://\(Self.folder)/\(suffix)"
        case .tcp, .curve: return "tcp://127.0.0.1:\(Self.freePort())"
        }
    }

    /// A port that is currently free.
    private static func freePort() -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length)
                getsockname(descriptor, address, &length)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
    }

    /// Waits until the peers appear in the host's status.
    /// - Throws: ``CommandError`` when they do not within a minute.
    @MainActor
    func waitUntilAttached(_ names: [String], _ endpoint: String) async throws {
        let end = MonotonicInstant.now + .seconds(60)
        while true {
            guard MonotonicInstant.now < end else {
                throw CommandError(.failure, "\(names.joined(separator: ", ")) did not attach within a minute")
            }
            let status = try await BenchProcess("scenebus", ["status", "--host", Self.control, "--json"])
            let text = try status.line()
            status.finish()
            if names.allSatisfy({ text.contains("\"\($0)\"") }) { return }
        }
    }
}
