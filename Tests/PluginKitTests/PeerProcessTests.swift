import PluginKit
import Testing

struct PeerProcessTests {
    @Test("An address in the arguments takes precedence over the one in the environment")
    func address() throws {
        let process = try PeerProcess(
            id: "shelf", arguments: ["shelf", "--host", "tcp://192.0.2.1:5570"],
            environment: { $0 == "SCENEBUS_HOST" ? "tcp://192.0.2.2:5570" : nil })
        #expect(process.endpoint == "tcp://192.0.2.1:5570")
        let other = try PeerProcess(
            id: "shelf", arguments: ["shelf"], environment: { $0 == "SCENEBUS_HOST" ? "tcp://192.0.2.2:5570" : nil })
        #expect(other.endpoint == "tcp://192.0.2.2:5570")
    }
}
