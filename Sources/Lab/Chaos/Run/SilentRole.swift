import Messaging
import ArgumentParser
import Bus
import Foundation
import OperatorKit
import PeerLink
import ZeroMQ

/// A process that opens many connections to the host's sockets and says nothing on them, until it is killed.
struct SilentRole: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "silent", shouldDisplay: false)
    @Option var address: String
    @Option var port: UInt16

    /// More than the host may have descriptors, for each of its sockets.
    private static let count = 2 * Int(HostRole.descriptors)

    func execute() async throws {
        // Each socket of ZeroMQ says its greeting, and stays connected. This process needs descriptors, too.
        let context = SocketContext(maximumSockets: Int32(2 * Self.count + 1))
        var sockets: [SilentSocket] = []
        for _ in 0..<Self.count {
            sockets.append(try SilentSocket(.dealer, "tcp://\(address):\(port)", context))
            sockets.append(try SilentSocket(.subscriber, "tcp://\(address):\(port + 1)", context))
        }
        try await Task.sleep(for: .seconds(3600))
        _ = sockets.count
    }
}

@MainActor
private final class SilentSocket {
    private let socket: Socket

    init(_ kind: Socket.Kind, _ address: String, _ context: SocketContext) throws {
        socket = try Socket(kind, in: context)
        try socket.connect(address)
    }
}

/// A peer that attaches and detaches again and again, until it is killed.
struct VisitorRole: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "visitor", shouldDisplay: false)
    @Option var host: String

    func execute() async throws {
        let context = SocketContext()
        for number in 0... {
            let peer = try SabotagePeer(host, as: "visitor", readsAhead: true, in: context)
            peer.greet(Hello(role: .operator, peer: "visitor-\(getpid())-\(number)", pid: getpid(), endpoint: host))
            _ = try await peer.welcome()
            peer.send(Frame(.goodbye))
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
