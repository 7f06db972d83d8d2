import Glibc
import OperatorKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PortProbeTests {
    /// A socket with a port of 127.0.0.1.
    private final class Port {
        let descriptor: Int32
        let number: UInt16

        /// - Parameter backlog: how many connections may wait; `nil` if it does not listen.
        init(backlog: Int32?) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            let isBound = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
                }
            }
            try #require(isBound)
            number = UInt16(bigEndian: address.sin_port)
            if let backlog { try #require(listen(descriptor, backlog) == 0) }
        }

        deinit { close(descriptor) }

        var address: String { "tcp://127.0.0.1:\(number)" }
    }

    @Test("A port at which a program listens is open, and one at which none does refuses")
    func openAndRefused() async throws {
        let open = try Port(backlog: 8)
        #expect(await PortProbe.probe(open.address, within: .seconds(10)) == .open)
        let refused = try Port(backlog: nil)
        #expect(await PortProbe.probe(refused.address, within: .seconds(10)) == .refused)
    }

    @Test("A port that answers nothing is silent after the time")
    func silent() async throws {
        // The kernel drops what does not fit into the queue, as a firewall does. Only the first fits.
        let port = try Port(backlog: 0)
        #expect(await PortProbe.probe(port.address, within: .seconds(10)) == .open)
        #expect(await PortProbe.probe(port.address, within: .milliseconds(200)) == .silent)
    }

    @Test("A name without an address, and an address without a port, are said")
    func failed() async {
        for address in ["tcp://nowhere.invalid:5570", "tcp://127.0.0.1", "ipc:///run/bus"] {
            guard case .failed(let reason) = await PortProbe.probe(address, within: .seconds(1)) else {
                Issue.record("\(address)")
                continue
            }
            #expect(!reason.isEmpty)
        }
    }
}
