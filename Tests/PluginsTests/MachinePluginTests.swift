import AccountMessages
import Bus
import CBOR
import FoundationEssentials
import MachineModel
import Messaging
import TestKit
import Testing

/// The machine plugin's process, with a fake host.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct MachinePluginTests {
    /// Runs the plugin with an alert that every machine raises, until the body has ended.
    private func withPlugin(_ body: @MainActor (FakeHost) async throws -> Void) async throws {
        let host = try FakeHost()
        let configuration = #"{"intervalSeconds": 0.1, "alerts": {"memory": {"warning": 0.001}, "holdSeconds": 0}}"#
        let environment = ["SCENEBUS_HOST": host.endpoint, "SCENEBUS_CONFIGURATION": configuration]
        let running = Task { try await BuiltProgram.run("machine-plugin", environment: environment) }
        let result: Result<Void, any Error>
        do {
            try await host.until("the alert is raised") { try alerts(host).map(\.id) == ["memory"] }
            try await body(host)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        running.cancel()
        let end = await running.result
        host.close()
        if case .failure = result { Issue.record("the plugin's end: \(end)") }
        try result.get()
    }

    /// The alerts that the plugin has published last.
    private func alerts(_ host: FakeHost) throws -> [Alert] {
        let latest = host.published.last { $0.keys.contains("alerts") }
        guard let entry = latest?["alerts"], let bytes = entry else { return [] }
        return try CBORDecoder().decode([Alert].self, from: bytes)
    }

    /// Logs a user in, and acknowledges the alert.
    private func acknowledge(_ host: FakeHost) async throws -> Alert {
        var login = Frame(.delta)
        (login.epoch, login.previous, login.revision) = (1, 1, 2)
        let account = try CBOREncoder().encode(Account(username: "ada", displayName: "Ada"))
        login.payload = DependencyPayload.encode(["account@wall": account])[...]
        try host.publish(login.encoded())
        var request = Frame(.request)
        request.name = "alertAcknowledge"
        request.session = "wall"
        request.payload = try CBOREncoder().encode(["id": "memory"])[...]
        while true {
            request.id += 1
            host.say(request.encoded())
            try await host.until("the request has ended") { host.replies.last?.id == request.id }
            let end = try #require(host.replies.last)
            // The login comes over the publisher, so the request may overtake it.
            if end.kind == .failure, case .handler(let error) = try end.decodePayload(as: FailureEncoding.self),
                error.code == "loginRequired"
            {
                continue
            }
            return try end.decodePayload(as: Alert.self)
        }
    }

    @Test func `An acknowledged alert has the user's name and the time of day`() async throws {
        try await withPlugin { host in
            let before = Date.now.timeIntervalSince1970
            let alert = try await acknowledge(host)
            let after = Date.now.timeIntervalSince1970
            #expect(alert.acknowledgedBy == "ada")
            let time = try #require(alert.acknowledgedAt)
            #expect((before - 1...after + 1).contains(time))
        }
    }

    @Test func `An alert is not acknowledged for a session in which no user is logged in`() async throws {
        try await withPlugin { host in
            _ = try await acknowledge(host)
            for session in ["", "desk"] {
                var request = Frame(.request)
                request.id = 1000 + UInt64(session.count)
                (request.name, request.session) = ("alertAcknowledge", session)
                request.payload = try CBOREncoder().encode(["id": "memory"])[...]
                host.say(request.encoded())
                try await host.until("the request has ended") { host.replies.last?.id == request.id }
                let end = try #require(host.replies.last)
                try #require(end.kind == .failure)
                guard case .handler(let error) = try end.decodePayload(as: FailureEncoding.self) else {
                    Issue.record("another error")
                    continue
                }
                #expect(error.code == "loginRequired")
            }
        }
    }

    @Test func `An acknowledged alert is no longer published, although its figure stays over the threshold`()
        async throws
    {
        try await withPlugin { host in
            _ = try await acknowledge(host)
            let count = host.published.count
            try await host.until("further samples are published") { host.published.count >= count + 2 }
            #expect(try alerts(host) == [])
        }
    }
}
