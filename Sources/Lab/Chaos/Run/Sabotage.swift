import OperatorKit
import SeededRandom
import ArgumentParser
import Bus
import CBOR
import ChaosHistory
import Foundation
import Messaging
import PeerLink
import ZeroMQ

/// A subscriber that subscribes to everything and never reads.
struct DeafRole: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "deaf", shouldDisplay: false)
    @Option var publisher: String

    func execute() async throws {
        var options = SocketOptions()
        // With a high-water mark of 1, unread messages stay in the queue of the host.
        options.receiveHighWaterMark = 1
        options.security = try ChaosKeys.security(as: "deaf")
        let context = SocketContext()
        let socket = try Socket(.subscriber, in: context, options: options)
        try socket.connect(publisher)
        try socket.subscribe([])
        try await Task.sleep(for: .seconds(3600))
        _ = socket.lastEndpoint
    }
}

/// A peer that requests large replies as fast as possible and reads none of them, as an operator and as a worker.
struct GluttonRole: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "glutton", shouldDisplay: false)
    @Option var host: String

    /// The number of requests at the start, and then every 20 ms.
    private static let first = 3000
    private static let each = 6

    func execute() async throws {
        let context = SocketContext()
        try await withThrowingTaskGroup { group in
            for role in [PeerRole.operator, .worker] {
                let work: @MainActor @Sendable () async throws -> Void = { try await ask(as: role, context) }
                group.addTask(operation: work)
            }
            try await group.waitForAll()
        }
    }

    @MainActor
    private func ask(as role: PeerRole, _ context: SocketContext) async throws {
        while true {
            let peer = try SabotagePeer(host, as: "glutton-\(role.rawValue)", in: context)
            peer.greet(
                Hello(
                    role: role, peer: "glutton-\(role.rawValue)", pid: getpid(), endpoint: host,
                    scenes: role == .worker ? ["Gluttony"] : [], capacity: role == .worker ? 1 : 0))
            // The welcome is the only frame that it reads: requests for a snapshot need the host's epoch.
            guard let welcome = try await peer.welcome() else { continue }
            for _ in 0..<Self.first { peer.requestMuch(welcome) }
            // 6 s, in which the host closes the link. Then the peer reconnects.
            for _ in 0..<300 {
                for _ in 0..<Self.each { peer.requestMuch(welcome) }
                // Sends heartbeats that do not acknowledge any received bytes.
                peer.send(Frame(.heartbeat))
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}

/// A peer that sends garbage to the host's sockets until it is killed.
struct GarbageRole: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "garbage", shouldDisplay: false)
    @Option var seed: UInt64
    @Option(help: "The host's address and port.") var address: String
    @Option var port: UInt16
    @Option(help: "The host's Unix-domain sockets.") var path: [String] = []

    func execute() async throws {
        var random = SeededGenerator(seed: seed)
        let context = SocketContext()
        while true {
            if Bool.random(using: &random) {
                sendBytes(using: &random)
            } else {
                try await sendFrames(context, using: &random)
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    // MARK: - Bytes that are not ZeroMQ

    private func sendBytes(using random: inout SeededGenerator) {
        let descriptor: Int32
        if let path = path.randomElement(using: &random), Bool.random(using: &random) {
            descriptor = Self.connect(path: path)
        } else {
            descriptor = Self.connect(address: address, port: port + (Bool.random(using: &random) ? 1 : 0))
        }
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var bytes = Self.noise(
            Int.random(in: 1...(1 << Int.random(in: 1...16, using: &random)), using: &random), &random)
        // The greeting of ZeroMQ's protocol, so that the following bytes are parsed as frames.
        if Bool.random(using: &random) {
            bytes =
                [0xff] + [UInt8](repeating: 0, count: 8) + [0x7f, 3, 0] + Array("NULL".utf8)
                + [UInt8](repeating: 0, count: 48) + bytes
        }
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }

    private static func connect(address: String, port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        inet_pton(AF_INET, address, &name.sin_addr)
        return connect(descriptor, &name, MemoryLayout<sockaddr_in>.size)
    }

    private static func connect(path: String) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { buffer in
            for (index, byte) in path.utf8.prefix(buffer.count - 1).enumerated() { buffer[index] = byte }
        }
        return connect(descriptor, &name, MemoryLayout<sockaddr_un>.size)
    }

    private static func connect<Name>(_ descriptor: Int32, _ name: inout Name, _ size: Int) -> Int32 {
        let isConnected = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(size)) == 0
            }
        }
        guard !isConnected else { return descriptor }
        close(descriptor)
        return -1
    }

    private static func noise(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    // MARK: - Frames that are almost valid

    private func sendFrames(_ context: SocketContext, using random: inout SeededGenerator) async throws {
        let endpoints = ["tcp://\(address):\(port)"] + path.filter { $0.hasSuffix("/bus") }.map { "ipc://\($0)" }
        // The list has at least one endpoint.
        let endpoint = endpoints.randomElement(using: &random)!
        var options = SocketOptions()
        if endpoint.hasPrefix("tcp:") { options.security = try ChaosKeys.security(as: "garbage") }
        let socket = try Socket(.dealer, in: context, options: options)
        try socket.connect(endpoint)
        for frame in Self.frames {
            let count = Int.random(in: 1...4, using: &random)
            for _ in 0..<count { _ = try? socket.send(Self.mutated(frame, &random)) }
            if Int.random(in: 0..<6, using: &random) == 0 {
                // The bus does not use messages of several parts.
                _ = try? socket.send(frame, more: true)
                _ = try? socket.send(frame)
            }
        }
        // Closing drops the messages that are not sent yet.
        try await Task.sleep(for: .milliseconds(20))
        _ = socket.lastEndpoint
    }

    private static let frames: [[UInt8]] = {
        let hello = Hello(role: .operator, peer: "garbage", pid: getpid(), endpoint: "tcp://10.77.0.1:5570")
        var frames = [try? Frame(.hello).encoded(payload: hello)].compactMap { $0 }
        for kind: FrameKind in [.heartbeat, .cancel, .synchronize, .reply, .failure, .snapshot, .delta, .tap] {
            frames.append(Frame(kind).encoded())
        }
        for (kind, name) in [
            (FrameKind.request, "chaosUnknown"), (.request, "hostStatus"), (.request, "sceneConnect"),
            (.post, "sceneCheckpoint"), (.publish, ""),
        ] {
            var frame = Frame(kind)
            frame.name = name
            frame.id = 7
            frame.session = "garbage"
            frame.token = 3
            let payload: [String: CBORValue] = ["session": .string("garbage"), "chaosTick": .int(-1)]
            if let bytes = try? frame.encoded(payload: payload) { frames.append(bytes) }
        }
        return frames
    }()

    private static func mutated(_ frame: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var frame = frame
        switch Int.random(in: 0..<6, using: &random) {
        case 0: break
        case 1: frame.removeLast(Int.random(in: 0..<frame.count, using: &random))
        case 2: frame += noise(Int.random(in: 1...4096, using: &random), &random)
        case 3: frame = Array(frame.prefix(8)) + noise(frame.count, &random)
        default:
            for _ in 0...Int.random(in: 0..<8, using: &random) {
                frame[Int.random(in: 0..<frame.count, using: &random)] = .random(in: .min ... .max, using: &random)
            }
        }
        return frame
    }
}
