import PeerLink
import ZeroMQ

/// Connections with keys that the host does not know, for `scenebus bench strangers`. When one is refused, another one
/// follows with another key.
@MainActor
final class Strangers {
    private let endpoint: String
    private let host: PublicKey
    private let context = SocketContext()
    private var ports: [Int: SocketPort] = [:]
    private var last = 0
    /// How many keys the host has refused.
    private(set) var refused = 0
    /// How many connections the host has closed before it knew the key.
    private(set) var closed = 0

    init(_ endpoint: String, _ host: PublicKey) { (self.endpoint, self.host) = (endpoint, host) }

    func connect() throws {
        var options = SocketOptions()
        options.security = .client(try KeyPair(), host: host)
        let port = SocketPort(try Socket(.dealer, in: context, options: options)) { _ in }
        last += 1
        let number = last
        ports[number] = port
        try port.watchHandshakes(in: context) { [weak self] in self?.ended(number, $0) }
        try port.withSocket { socket throws(ZeroMQError) in try socket.connect(endpoint) }
    }

    private func ended(_ number: Int, _ outcome: HandshakeMonitor.Outcome) {
        switch outcome {
        case .unknownKey: refused += 1
        case .cutOff: closed += 1
        case .succeeded, .otherMechanism: break
        }
        // Not here, where the watch is called that it closes.
        Task {
            guard let port = ports.removeValue(forKey: number) else { return }
            port.close()
            do { try connect() } catch { complain("\(error)") }
        }
    }

    func stop() {
        for port in ports.values { port.close() }
        ports = [:]
    }
}
