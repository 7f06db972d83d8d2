import Messaging
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

    @Test("A client has the host's welcome, and closes its sockets")
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

    @Test("Without a host the error names the address")
    func nobody() async throws {
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o700)
        let error = try await #require(throws: CommandError.self) {
            try await HostClient(try options("ipc://\(folder.path)/bus"))
        }
        #expect(error.code == .unreachable)
        #expect(error.message.contains("no host answers at ipc://\(folder.path)/bus"))
    }

    @Test("A host's permanent refusal is reported with its reason")
    func refused() async throws {
        let host = try FakeHost()
        defer { host.close() }
        host.refusal = Refusal(.version, "speak another version")
        let error = try await #require(throws: CommandError.self) { try await HostClient(try options(host.endpoint)) }
        #expect(error.code == .refused)
        #expect(error.message.contains("speak another version"))
    }

    @Test("A client retries after a temporary refusal, and then reports it as a refusal")
    func busy() async throws {
        let host = try FakeHost()
        defer { host.close() }
        host.refusal = Refusal(.busy, "too many come at once")
        let error = try await #require(throws: CommandError.self) {
            try await HostClient(try options(host.endpoint, timeout: "1"), connectTimeout: .seconds(3))
        }
        #expect(error.code == .refused)
        #expect(error.message.contains("too many come at once"))
    }

    @Test("A process that listens but does not answer is reported as unreachable")
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

    @Test("A continuous command ends with the refusal of a host that no longer accepts it")
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

    @Test("A request waits as long as --timeout says")
    func requestTimeout() async throws {
        let host = try FakeHost()
        defer { host.close() }
        let client = try await HostClient(try options(host.endpoint, timeout: "17"))
        defer { client.close() }
        #expect(client.link.configuration.requestTimeout == .seconds(17))
    }

    @Test("An action is sent again under its identifier while the host is away, but not for ever")
    func performedAgain() async throws {
        let host = try FakeHost()
        defer { host.close() }
        let client = try await HostClient(try options(host.endpoint, timeout: "1"))
        defer { client.close() }
        host.isAnswering = false
        host.say(Frame(.goodbye).encoded())
        // The host, which does not answer, would not even say that it has had its turn.
        try await until("the link is lost") { !client.isAttached }
        let submission = SceneSubmission(layer: "desk", action: "find", label: "Find", isWhole: true)
        let begin = MonotonicInstant.now
        let error = try await #require(throws: CommandError.self) {
            try await client.perform(submission, in: "s", sendingFor: .milliseconds(1200))
        }
        #expect(MonotonicInstant.now - begin >= .milliseconds(1200))
        #expect(error.message.contains("'Find' may have been done: look at the scene when the host is back"))
        host.isAnswering = true
        try await host.until("the client is attached again") { client.isAttached }
        try await client.perform(submission, in: "s")
        let request = try #require(host.requestFrames.last { $0.name == HostMessagesList.hostScenePerform.name })
        #expect(request.messageID == submission.id)
    }

    @Test("A continuous command reports every time that the host leaves and returns, not only the first")
    func away() async throws {
        let process = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try await loseHostTwice()
        }
        let lines = String(decoding: process.standardErrorContent, as: UTF8.self).split(separator: "\n")
        let once: [Substring] = ["scenebus: the host has ended; trying again", "scenebus: attached again"]
        #expect(lines.filter { $0.hasPrefix("scenebus: ") } == once + once)
    }
}

/// Runs a continuous command whose host ends and returns twice. It reports that on this process's standard error.
@MainActor
private func loseHostTwice() async throws {
    let host = try FakeHost()
    defer { host.close() }
    let client = try await HostClient(try ClientOptions.parse(["--host", host.endpoint]))
    defer { client.close() }
    client.sayWhenAway()
    for _ in 0..<2 {
        let hellos = host.hellos
        host.say(Frame(.goodbye).encoded())
        try await host.until("the command is attached again") { host.hellos > hellos && client.link.isReady }
    }
}
