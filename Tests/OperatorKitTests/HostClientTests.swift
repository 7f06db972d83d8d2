import ArgumentParser
import Bus
import Glibc
import OperatorKit
import PeerLink
import TestKit
import Testing
import ZeroMQ

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct HostClientTests {
    private func options(_ host: String, timeout: String = "10") throws -> ClientOptions {
        try ClientOptions.parse(["--host", host, "--timeout", timeout])
    }

    @Test("a client has the host's welcome, and is gone when it is closed")
    func attached() async throws {
        let host = try FakeHost()
        defer { host.close() }
        let client = try await HostClient(try options(host.endpoint))
        #expect(client.welcome.host == "fake")
        #expect(host.hello?.role == .operator)
        #expect(client.refusal == nil)
        client.close()
        #expect(client.context.openSockets == 0)
    }

    @Test("where nobody listens, the error says so at once, with the next step")
    func nobody() async throws {
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o700)
        let error = try await #require(throws: CommandError.self) {
            try await HostClient(try options("ipc://\(folder.path)/bus"))
        }
        #expect(error.code == .unreachable)
        #expect(error.message.contains("no host answers at ipc://\(folder.path)/bus"))
    }

    @Test("a host that refuses for good is a refusal, with its reason")
    func refused() async throws {
        let host = try FakeHost()
        defer { host.close() }
        host.refusal = Refusal(.version, "speak another version")
        let error = try await #require(throws: CommandError.self) { try await HostClient(try options(host.endpoint)) }
        #expect(error.code == .refused)
        #expect(error.message.contains("speak another version"))
    }

    @Test("a host that refuses for now is waited for, and then named as one that refuses")
    func busy() async throws {
        let host = try FakeHost()
        defer { host.close() }
        host.refusal = Refusal(.busy, "too many come at once")
        let error = try await #require(throws: CommandError.self) {
            try await HostClient(try options(host.endpoint, timeout: "1"), connectTimeout: .milliseconds(300))
        }
        #expect(error.code == .refused)
        #expect(error.message.contains("too many come at once"))
    }

    @Test("a process that listens and does not answer is named as one that is busy or hangs")
    func silent() async throws {
        let host = try FakeHost()
        defer { host.close() }
        host.isAnswering = false
        let error = try await #require(throws: CommandError.self) {
            try await HostClient(try options(host.endpoint, timeout: "0.2"))
        }
        #expect(error.code == .unreachable)
        #expect(error.message.contains("has not answered"))
    }

    @Test("a command that continues ends with the refusal of a host that comes back and takes it no more")
    func refusedLater() async throws {
        let host = try FakeHost()
        defer { host.close() }
        let client = try await HostClient(try options(host.endpoint))
        defer { client.close() }
        host.say(try Frame(.refusal).encoded(payload: Refusal(.version, "speak another version")))
        let error = try await #require(throws: CommandError.self) { try await client.goOnUntilInterrupted() }
        #expect(error.code == .refused)
        #expect(client.refusal?.message.contains("speak another version") == true)
    }
}
