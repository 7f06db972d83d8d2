import Bus
import CBOR
import CoordinatorKit
import PluginKit
import TestKit
import Testing

@testable import SceneHost

@ResponderMessages
private protocol VaultMessages {
    @Once func vaultIssue(digits: Secret<String>) async throws -> Secret<String>
    func vaultOpen(digits: Secret<String>, spare: Secret<Int>?) async throws
}

extension ResponderChain: VaultMessages {}

private final class Vault: PluginResponder, VaultMessages {
    func vaultIssue(digits: Secret<String>) async throws -> Secret<String> { digits }
    func vaultOpen(digits: Secret<String>, spare: Secret<Int>?) async throws {}
}

private final class VaultDelegate: AppDelegate, VaultMessages {}

extension LiveTests {
    /// What the host knows of secrets, and that it stores none.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct SecretTests {
        private static let secret = "zwiebelkuchen-4711"

        /// The files of a folder that contain a text.
        private func files(in folder: TemporaryFolder, with text: String) throws -> [String] {
            try folder.contents().filter { $0.hasPrefix("sessions") }.filter {
                try folder.bytes(of: $0).firstRange(of: Array(text.utf8)) != nil
            }
        }

        @Test("The host names the secret fields of what peers and it itself handle")
        func fields() async throws {
            try await withHost { live in
                let client = try await live.client()
                #expect(try await client.chain.hostSecretFields(message: "vaultOpen") == [])
                try await live.plugin("vault") { $0.respond(Vault(), to: VaultMessagesList.self) }
                for name in ["vaultOpen", "safe/vaultOpen"] {
                    #expect(
                        try await client.chain.hostSecretFields(message: name)
                            == [SecretField("digits"), SecretField("spare", isOptional: true)])
                }
                #expect(try await client.chain.hostSecretFields(message: "vaultIssue") == [SecretField("digits")])
                #expect(try await client.chain.hostSecretFields(message: "hostSceneAct") == [])
                #expect(try await client.chain.hostSecretFields(message: "") == [])
            }
            try await withHost(delegate: VaultDelegate(), handles: [VaultMessagesList.self]) { live in
                let client = try await live.client()
                #expect(try await client.chain.hostSecretFields(message: "vaultIssue") == [SecretField("digits")])
            }
        }

        private func answer(of raw: RawPeer, to id: UInt64) async throws -> Frame {
            while true {
                let frame = try await raw.next()
                if frame.id == id, frame.kind == .reply || frame.kind == .failure { return frame }
            }
        }

        @Test("The reply of a once request that holds a secret is not recorded, and a copy fails as perhaps handled")
        func once() async throws {
            let folder = try TemporaryFolder()
            var frame = Frame(.request)
            frame.name = "vaultIssue"
            frame.delivery = .once
            frame.messageID = MessageID(high: 7, low: 7)
            frame.payload = try CBOREncoder().encode(["digits": Secret(Self.secret)])[...]
            func expectLoss(_ frame: Frame) throws {
                let error = try frame.decodePayload(as: FailureEncoding.self).error as? MessageError
                #expect(error?.code == .peerLost && error?.mayHaveBeenHandled == true)
                #expect(error?.detail == "its reply held a secret, which is not recorded")
            }
            try await withHost(in: folder, configure: { $0.store = "\(folder.path)/sessions.sqlite" }) { live in
                try await live.plugin("vault") { $0.respond(Vault(), to: VaultMessagesList.self) }
                let raw = try live.raw()
                _ = try await raw.hello("buyer", role: .operator)
                frame.id = 1
                try raw.send(frame.encoded())
                let reply = try await answer(of: raw, to: 1)
                #expect(try reply.decodePayload(as: Secret<String>.self) == Secret(Self.secret))
                frame.id = 2
                try raw.send(frame.encoded())
                try expectLoss(try await answer(of: raw, to: 2))
                #expect(try files(in: folder, with: "vaultIssue") != [])
                #expect(try files(in: folder, with: Self.secret) == [])
            }
            try await withHost(in: folder, configure: { $0.store = "\(folder.path)/sessions.sqlite" }) { live in
                let raw = try live.raw()
                _ = try await raw.hello("buyer", role: .operator)
                frame.id = 3
                frame.flags.insert(.copy)
                try raw.send(frame.encoded())
                try expectLoss(try await answer(of: raw, to: 3))
            }
        }

        @Test("The host keeps a scene's state without its secrets, reported or frozen")
        func states() async throws {
            let folder = try TemporaryFolder()
            func state(_ note: CBORValue, _ secret: CBORValue?) throws -> CBORRaw {
                var info: [String: CBORValue] = ["note": note]
                info["pin"] = secret
                return try CBORRaw(encoding: UserActivity(activityType: "test", userInfo: info))
            }
            let pin = CBORValue.secret(Secret(.string(Self.secret)))
            try await withHost(in: folder, configure: { $0.store = "\(folder.path)/sessions.sqlite" }) { live in
                let client = try await live.client()
                let one = try await live.rawWorker(named: "one", capacity: 1)
                let opening = Task { try await client.open() }
                let connected = try await one.next("sceneConnect")
                try one.reply(to: connected)
                let id = try await opening.value
                var post = Frame(.post)
                post.name = SceneReportMessagesList.sceneCheckpoint.name
                (post.session, post.token) = (connected.session, connected.token)
                let report = SceneReportMessagesList.sceneCheckpoint(session: id, state: try state("a note", pin))
                try one.send(post.encoded(payload: report))
                try await live.until("the host has the state") {
                    try await client.chain.hostSessionState(session: id) == state("a note", nil)
                }
                let two = try await live.rawWorker(named: "two", capacity: 1)
                let moving = Task { try await client.chain.hostMove(session: id, worker: "two") }
                let frozen = try CBOREncoder().encode(try state("another", pin))
                try one.reply(to: try await one.next("sceneFreeze"), with: frozen)
                let placed = try await two.next("sceneConnect")
                #expect(
                    try placed.decodePayload(as: SceneMessagesList.sceneConnect.self).state == state("another", nil))
                try two.reply(to: placed)
                _ = try await moving.value
                #expect(try await client.chain.hostStatus().counters["dropped: secrets in a scene's state"] == 2)
                #expect(try files(in: folder, with: "another") != [])
                #expect(try files(in: folder, with: Self.secret) == [])
            }
        }
    }
}
