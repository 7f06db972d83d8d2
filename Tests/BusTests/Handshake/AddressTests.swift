import Messaging
import Bus
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AddressTests {
    @Test(
        "An address of a host has a scheme that the bus uses and, with TCP, a port",
        arguments: [
            "tcp://127.0.0.1:5570", "tcp://[::1]:5570", "tcp://wall.example:65535", "ipc:///run/scenebus/bus",
            "inproc://test/bus",
        ])
    func valid(address: String) {
        #expect(HostEndpoint.problem(of: address) == nil)
    }

    @Test(
        "Any other text is not an address, and the problem names it and shows how to write one",
        arguments: [
            "", "localhost", "http://127.0.0.1:5570", "tcp://", "tcp://127.0.0.1", "tcp://127.0.0.1:0",
            "tcp://127.0.0.1:65536", "tcp://127.0.0.1:http", "tcp://:5570", "ipc://", "ipc://bus", "TCP://127.0.0.1:1",
        ])
    func invalid(address: String) throws {
        let problem = try #require(HostEndpoint.problem(of: address))
        #expect(problem.contains("'\(address)'"))
        #expect(problem.contains("tcp://192.0.2.7:5570"))
    }

    @Test(
        "A hello whose versions of the protocol cannot be is refused",
        arguments: [(-1, 1), (0, 1), (1, 256), (2, 1), (Int.min, Int.max)])
    func versions(min: Int, max: Int) throws {
        let hello = Hello(
            role: .plugin, peer: "shop", pid: 7, endpoint: "", versions: ProtocolVersionRange(min: min, max: max))
        #expect(try #require(hello.excess).contains("versions of the protocol"))
    }

    @Test("A hello with later versions of the protocol keeps to the limits")
    func laterVersions() {
        let hello = Hello(
            role: .plugin, peer: "shop", pid: 7, endpoint: "", versions: ProtocolVersionRange(min: 1, max: 255))
        #expect(hello.excess == nil)
    }

    @Test("A link that the host no longer has is lost with a reason for people")
    func unknownLink() {
        let loss = LinkMachine.Loss.refused(Refusal(.unknownLink, "say hello again"))
        #expect(!loss.description.contains("hello"))
        #expect(loss.description.contains("no longer has this link"))
    }
}
