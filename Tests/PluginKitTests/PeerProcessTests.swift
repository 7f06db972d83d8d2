import Bus
import Logging
import PluginKit
import Testing

struct PeerProcessTests {
    @Test("An address in the arguments takes precedence over the one in the environment")
    func address() throws {
        let process = try PeerProcess(
            id: "shelf", arguments: ["shelf", "--host", "tcp://192.0.2.1:5570", "--insecure"],
            environment: { $0 == "SCENEBUS_HOST" ? "tcp://192.0.2.2:5570" : nil })
        #expect(process.endpoint == "tcp://192.0.2.1:5570")
        let other = try PeerProcess(
            id: "shelf", arguments: ["shelf", "--insecure"],
            environment: { $0 == "SCENEBUS_HOST" ? "tcp://192.0.2.2:5570" : nil })
        #expect(other.endpoint == "tcp://192.0.2.2:5570")
    }

    @Test(
        "A name in the arguments or the environment is used, and one that is no name is a usage error that says the rule"
    )
    func name() throws {
        let own = try PeerProcess(id: "shelf", arguments: ["shelf", "--name", "shelf-2"], environment: { _ in nil })
        #expect(own.peer.text == "shelf-2")
        let named = try PeerProcess(
            id: "shelf", arguments: ["shelf"], environment: { $0 == "SCENEBUS_PEER" ? "shelf-3" : nil })
        #expect(named.peer.text == "shelf-3")
        for (arguments, environment, source) in [
            (["shelf", "--name", "../x"], nil, "--name"), (["shelf"], "host", "SCENEBUS_PEER"),
        ] as [([String], String?, String)] {
            let error = try #require(throws: UsageError.self) {
                try PeerProcess(
                    id: "shelf", arguments: arguments, environment: { $0 == "SCENEBUS_PEER" ? environment : nil })
            }
            #expect(error.message.hasPrefix(source))
            #expect(error.message.hasSuffix(BusName.rule))
        }
        #expect(throws: UsageError.self) { try PeerProcess(id: "a b", arguments: [], environment: { _ in nil }) }
    }

    @Test("Without a name, a process has one that no other process has, and that it keeps")
    func unique() throws {
        let first = try PeerProcess(id: "shelf", arguments: [], environment: { _ in nil })
        let second = try PeerProcess(id: "shelf", arguments: [], environment: { _ in nil })
        #expect(first.peer == second.peer)
        #expect(first.peer.text.hasPrefix("shelf-"))
        // The process ID alone would be that of another container's process, too.
        #expect(first.peer.text.split(separator: "-").count == 3)
    }

    @Test("A process logs under its name on the bus, wherever the name comes from")
    func label() throws {
        let started = try PeerProcess(
            id: "shelf", arguments: ["shelf"], environment: { $0 == "SCENEBUS_PEER" ? "shelf-2" : nil })
        #expect(started.logger.label == "shelf-2")
        let named = try PeerProcess(id: "shelf", arguments: ["shelf", "--name", "left"], environment: { _ in nil })
        #expect(named.logger.label == "left")
    }

    @Test("An address that is none is a wrong usage")
    func wrongAddress() {
        #expect(throws: UsageError.self) {
            try PeerProcess(
                id: "shelf", arguments: ["shelf", "--host", "http://127.0.0.1:1"], environment: { _ in nil })
        }
    }

    @Test("The error for an address from the environment names the variable, unless an argument has replaced it")
    func wrongVariable() throws {
        func message(_ arguments: String...) throws -> String {
            let error = try #require(throws: UsageError.self) {
                try PeerProcess(
                    id: "shelf", arguments: ["shelf"] + arguments,
                    environment: { $0 == "SCENEBUS_HOST" ? "http://127.0.0.1:1" : nil })
            }
            return error.message
        }
        #expect(try message().hasPrefix("SCENEBUS_HOST: 'http://127.0.0.1:1' is not an address"))
        #expect(try message("--host", "ipc://bus").hasPrefix("'ipc://bus' has no folder"))
    }
}
