import Access
import Bus
import CoordinatorKit
import Foundation
import Glibc
import Messaging
import OperatorKit
import PeerLink
import PluginKit
import TestKit
import Testing
import ZeroMQ

@testable import Hub
@testable import SceneHost

extension LiveTests {
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct HostKeysTests {
        // MARK: - Who gets in

        @Test("A worker, a plugin and an operator with keys work together over TCP as over ipc")
        func together() async throws {
            try await KeyedHost.with { host in
                let greeter = Greeter("plugin")
                let (desk, session) = try await host.open(with: greeter)
                defer { desk.close() }
                let content = try await desk.chain.hostSceneAct(
                    session: session, action: "greet", fields: ["text": "Ada"])
                #expect(content.texts.first == "plugin greets Ada")
                #expect(greeter.heard.first?.session == session)
            }
        }

        @Test("A stranger is told why on its own side, nothing of it is parsed, and the host says so once")
        func stranger() async throws {
            try await KeyedHost.with { host in
                try await host.live.detachControl()
                let before = host.live.host.hub.counters.values["frames in"]
                for _ in 0..<2 {
                    let error = try await #require(throws: HandshakeFailed.self) { try await host.client("stranger") }
                    #expect(error.exitCode == .refused)
                    let key = try host.key(of: "stranger").publicKey
                    #expect(
                        error.description.contains("scenebus key allow stranger operator \(key)"),
                        "\(error.description)")
                }
                #expect(host.live.host.hub.counters.values["frames in"] == before)
                #expect(host.live.host.hub.links.isEmpty)
                let refused = host.live.host.hub.counters.values["refused: handshake with a key that is not allowed"]
                #expect(refused ?? 0 >= 2)
            }
        }

        @Test("A peer without a key, and one that knows another host's key, are told so")
        func otherStrangers() async throws {
            try await KeyedHost.with { host in
                try await host.allow("desk operator")
                let options = ClientOptions(timeout: 20)
                let clear = try await #require(throws: HandshakeFailed.self) {
                    try await HostClient(
                        options, at: HostReference(withoutKeys: host.address), connectTimeout: .seconds(20))
                }
                #expect(clear.description.contains("demands a key"), "\(clear.description)")
                let context = HostContext(
                    name: "test", address: host.address, key: try KeyPair().publicKey, ownName: "desk")
                let other = try await #require(throws: HandshakeFailed.self) {
                    try await HostClient(
                        options, at: HostReference(context, keys: host.key(of: "desk")), connectTimeout: .seconds(20))
                }
                #expect(other.description.contains("is not the one whose key is known here"), "\(other.description)")
            }
        }

        @Test("A key is for its name and its role, whatever a hello says")
        func names() async throws {
            try await KeyedHost.with { host in
                try await host.allow("wall worker")
                for (name, role) in [
                    ("hall", PeerRole.worker), ("wall", .operator), ("wall", .plugin), ("wall", .monitor),
                ] {
                    let refusal = try await #require(throws: Refusal.self) {
                        try await host.attached("wall", role: role, as: name)
                    }
                    #expect(refusal.code == .unauthorized)
                    #expect(refusal.reason.contains("'wall'"))
                }
                _ = try await host.attached("wall", role: .worker, as: "wall-1")
            }
        }

        @Test("A hello behind another frame is refused, because nobody attests who said it")
        func hiddenHello() async throws {
            try await KeyedHost.with { host in
                try await host.allow("wall worker")
                let raw = try host.raw("wall")
                let hello = Hello(role: .worker, peer: "hall", pid: 1, endpoint: "")
                try raw.send(Frame(.goodbye).encoded() + Frame(.hello).encoded(payload: hello))
                var codes: [Refusal.Code] = []
                while codes.count < 2 { codes.append(try await raw.next().decodePayload(as: Refusal.self).code) }
                #expect(codes == [.unknownLink, .malformed])
                #expect(host.live.link(named: "hall") == nil)
            }
        }

        // MARK: - What a key gets

        @Test("Only those that may watch get the tap, over their links, and as long as they may")
        func tap() async throws {
            try await KeyedHost.with { host in
                for line in ["wall worker", "desk operator"] { try await host.allow(line) }
                let desk = try await host.client("desk")
                defer { desk.close() }
                var seen: Set<String> = []
                let tap = try await LinkTap(of: desk) { seen.insert($0.from) }
                let wall = try await host.attached("wall", role: .worker)
                try await host.live.until("the worker's hello is seen") {
                    seen.contains("wall") || seen.contains("host")
                }
                // Nothing of it is published for peers with keys.
                let publisher = try #require(host.live.host.hub.endpoints.last?.publisher)
                let subscriber = try host.raw("wall", .subscriber, to: publisher)
                try subscriber.subscribe(Frame.topic(.tap))
                try subscriber.subscribe(Frame.topic(.beacon))
                for _ in 0..<3 { #expect(try await subscriber.next().kind == .beacon) }
                // A line that allows less ends it.
                try await host.allow("desk viewer")
                try await host.live.until("the tap is off") { !host.live.host.hub.tap.isOn }
                withExtendedLifetime((tap, wall)) {}
            }
        }

        @Test("An invitation reads nothing of the container")
        func invitationReadsNothing() async throws {
            try await KeyedHost.with { host in
                try await host.allow("wall invitation as=worker")
                let raw = try await host.attached("wall", role: .operator)
                var ask = Frame(.synchronize)
                ask.epoch = host.live.host.hub.epoch
                try raw.send(ask.encoded())
                try await host.live.until("the question is refused") {
                    host.live.host.hub.counters.values["refused: not allowed by the peer's key"] ?? 0 > 0
                }
                let count = host.live.host.hub.counters.values["refused: handshake with a key that is not allowed"]
                #expect(count == nil)
                let publisher = try #require(host.live.host.hub.endpoints.last?.publisher)
                let outcome = await host.handshake(of: "wall", at: publisher)
                #expect(outcome == .unknownKey)
            }
        }

        // MARK: - Changes of the list

        @Test("A key that is revoked has no link any more, and does not get in again")
        func revoked() async throws {
            try await KeyedHost.with { host in
                for line in ["wall worker", "desk operator"] { try await host.allow(line) }
                let raw = try await host.attached("wall", role: .worker)
                let desk = try await host.client("desk")
                defer { desk.close() }
                try host.revoke("wall")
                #expect(try await raw.next(.refusal).decodePayload(as: Refusal.self).code == .unauthorized)
                #expect(host.live.link(named: "wall") == nil)
                let error = try await #require(throws: HandshakeFailed.self) { try await host.client("wall") }
                #expect(error.description.contains("does not know this key"))
                #expect(try await desk.chain.hostStatus().name == "test")
            }
        }

        @Test("A line that says something else ends the link, and counts for the next one")
        func changed() async throws {
            try await KeyedHost.with { host in
                try await host.allow("desk operator")
                let desk = try await host.client("desk")
                defer { desk.close() }
                try await host.allow("desk viewer")
                try await host.live.until("the operator attaches again, as a viewer") {
                    host.live.host.hub.links.values.contains { $0.access?.entry.role == .viewer }
                }
                let error = try await #require(throws: MessageError.self) {
                    try await desk.chain.hostCloseSession(session: "none")
                }
                #expect(error.code == .unauthorized)
                #expect(try await desk.chain.hostStatus().name == "test")
            }
        }

        @Test("A line that cannot be used is named, what it said stays in force, and other changes count")
        func brokenLine() async throws {
            try await KeyedHost.with { host in
                for line in ["wall worker", "hall worker"] { try await host.allow(line) }
                let file = try host.listFile.path
                let text = try String(contentsOfFile: file, encoding: .utf8)
                try PrivateFile.write(text.replacing("wall worker", with: "wall wrker"), to: file)
                let client = try await host.live.client()
                try await host.live.until("the status names the line") {
                    try await client.chain.hostStatus().problems.contains { $0.contains("line 1: 'wrker' is no role") }
                }
                _ = try await host.attached("wall", role: .worker)
                try host.revoke("hall")
                try await host.live.until("the other key is revoked") {
                    try host.hostKeys.access(of: host.key(of: "hall").publicKey) == nil
                }
                try FileManager.default.removeItem(atPath: file)
                try await host.live.until("the status says that the list is gone") {
                    try await client.chain.hostStatus().problems.contains { $0.contains("is gone") }
                }
                #expect(try host.hostKeys.access(of: host.key(of: "wall").publicKey) != nil)
                try PrivateFile.write(text, to: file)
                try await host.live.until("there is no problem") {
                    try await client.chain.hostStatus().problems.isEmpty
                }
            }
        }

        @Test("A host whose key others can read does not start")
        func readableKey() async throws {
            let temporary = try TemporaryFolder()
            let folder = try KeyFolder("\(temporary.path)/keys")
            let file = folder.keyFile(of: try BusName("test"))
            _ = try folder.keyOrNew(in: file)
            chmod(file, 0o644)
            let error = try await #require(throws: HostError.self) {
                try await withHost(configure: { ($0.listen, $0.keys) = (["tcp://127.0.0.1:*"], folder.path) }) { _ in }
            }
            #expect(error.code == .refused)
            #expect(error.description.contains("chmod 600"))
        }

        // MARK: - Invitations

        @Test("An invitation hands in one key, once")
        func invitation() async throws {
            try await KeyedHost.with { host in
                try await host.allow("wall invitation as=worker send=greeting*")
                let invited = try await host.client("wall")
                let own = try KeyPair()
                for text in ["", "abc"] {
                    let error = try await #require(throws: RemoteError.self) {
                        try await invited.chain.hostEnroll(key: text)
                    }
                    #expect(error.message.contains("no public key"))
                }
                let enrollment = try await invited.chain.hostEnroll(key: "\(own.publicKey)")
                #expect(enrollment == Enrollment(name: "wall", role: "worker"))
                let entry = try #require(try host.listFile.read()["wall"])
                #expect(entry.key == own.publicKey)
                #expect(entry.grants.texts == ["send=greeting*"])
                #expect(entry.expires == nil)
                let again = try await #require(throws: (any Error).self) {
                    try await invited.chain.hostEnroll(key: "\(KeyPair().publicKey)")
                }
                _ = again
                invited.close()
                await #expect(throws: HandshakeFailed.self) { try await host.client("wall") }
                let context = HostContext(name: "test", address: host.address, key: try host.hostKey, ownName: "wall")
                try await host.live.worker("wall", at: HostReference(context, keys: own))
                // Nobody else hands in a key.
                let local = try await host.live.client()
                let error = try await #require(throws: RemoteError.self) {
                    try await local.chain.hostEnroll(key: "\(own.publicKey)")
                }
                #expect(error.message.contains("only a machine with an invitation"))
            }
        }

        @Test("An invitation that has expired lets nobody in, and ends the link that it has")
        func expiredInvitation() async throws {
            try await KeyedHost.with { host in
                try await host.allow("wall invitation as=worker")
                let invited = try await host.client("wall")
                defer { invited.close() }
                try host.listFile.edit { list in
                    var entry = try #require(list["wall"])
                    entry.expires = Date()
                    try list.set(entry)
                }
                try await host.live.until("its link has ended") {
                    !host.live.host.hub.links.values.contains { $0.access != nil }
                }
                await #expect(throws: HandshakeFailed.self) { try await host.client("wall") }
            }
        }
    }
}
