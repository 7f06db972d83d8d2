import Glibc
import Synchronization

/// Stands between one peer and a host on the network, and keeps what the peer sends, as somebody on the way could.
final class RecordingRelay: Sendable {
    /// The address for the peer.
    let address: String
    private let port: UInt16
    private let listener: Int32
    private let bytes = Mutex<[UInt8]>([])

    /// What the peer has sent until now.
    var recorded: [UInt8] { bytes.withLock { $0 } }

    /// - Parameter host: `tcp://127.0.0.1:PORT`.
    init(to host: String) throws {
        port = host.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let listener = listener
        let listens = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        address = "tcp://127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
        guard listens else { throw PlainConnection.Failure(number: errno) }
    }

    deinit { close(listener) }

    /// Passes on what one peer and the host send to each other, until one of them closes its connection.
    func run() async throws {
        let host = try PlainConnection.connect(to: "tcp://127.0.0.1:\(port)")
        defer { close(host) }
        try await Task.detached { [self] in
            var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 60_000) == 1 else { throw PlainConnection.Failure(number: ETIMEDOUT) }
            let peer = accept(listener, nil, nil)
            defer { close(peer) }
            var sides = [peer, host].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            while poll(&sides, 2, 60_000) > 0 {
                for (side, other) in [(0, host), (1, peer)] where sides[side].revents != 0 {
                    var buffer = [UInt8](repeating: 0, count: 4096)
                    let count = recv(sides[side].fd, &buffer, buffer.count, 0)
                    guard count > 0 else { return }
                    if side == 0 { bytes.withLock { $0 += buffer[..<count] } }
                    _ = send(other, buffer, count, Int32(MSG_NOSIGNAL))
                }
            }
        }.value
    }
}
