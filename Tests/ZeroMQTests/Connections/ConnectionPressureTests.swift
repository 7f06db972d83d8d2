import Glibc
import Testing

@testable import ZeroMQ

@Suite(.timeLimit(.minutes(5)))
struct ConnectionPressureTests {
    @Test func `The words name who has the most connections, and how many if that is not most of them`() {
        var pressure = ConnectionPressure(
            waiting: 18, maximum: 37, isPressed: false, mostWaiting: 18, most: "process 9712 (python3)")
        #expect(
            pressure.description
                == "connections: 18 of at most 37 belong to no peer, most of them from process 9712 (python3); "
                + "'scenebus status' counts why")
        pressure.mostWaiting = 9
        pressure.most = "192.0.2.7"
        #expect(pressure.description.contains("no peer, 9 of them from 192.0.2.7; "))
        pressure.most = nil
        pressure.isPressed = true
        #expect(pressure.description.contains("belong to no peer; some were refused or closed in the last minute; "))
    }

    @Test func `The owner of a local connection is its process, with the name of its program`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let name = try #require(ConnectionPressure.name(ofOwnerOf: ends[0]))
        #expect(name.hasPrefix("process \(getpid()) ("))
        #expect(name.hasSuffix(")"))
    }

    @Test func `The owner of a connection over the network is the address of its machine`() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { for end in [listener, connection] { close(end) } }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
                // The system chooses the port.
                guard bind(listener, address, size) == 0, listen(listener, 1) == 0,
                    getsockname(listener, address, &size) == 0
                else {
                    return -1
                }
                return connect(connection, address, size)
            }
        }
        try #require(result == 0)
        #expect(ConnectionPressure.name(ofOwnerOf: connection) == "127.0.0.1")
    }
}
