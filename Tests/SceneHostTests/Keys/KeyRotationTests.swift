import Access
import Bus
import Foundation
import Messaging
import OperatorKit
import PeerLink
import TestKit
import Testing
import ZeroMQ

@testable import Hub
@testable import SceneHost

extension LiveTests {
    /// A machine that replaces its own key, while its peers are attached.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct KeyRotationTests {
        /// The machine's folder of keys, with a context for the host.
        private func machine(_ name: String, _ host: KeyedHost, in temporary: TemporaryFolder) throws -> KeyFolder {
            let folder = try KeyFolder("\(temporary.path)/\(name)")
            _ = try folder.keyOrNew(in: folder.ownKeyFile)
            var contexts = HostContexts()
            contexts.set(HostContext(name: "test", address: host.address, key: try host.hostKey, ownName: name))
            try folder.save(contexts)
            return folder
        }

        /// Attaches as a command of the machine does.
        private func client(_ folder: KeyFolder) async throws -> HostClient {
            let reference = try HostReference(
                "test", isInsecure: false, environment: { $0 == "SCENEBUS_KEYS" ? folder.path : nil })
            return try await HostClient(ClientOptions(timeout: 20), at: reference, connectTimeout: .seconds(20))
        }

        private func allow(_ key: PublicKey, _ host: KeyedHost, old: KeyEntry.OldKey? = nil) async throws {
            var entry = try KeyEntry(line: "desk operator \(key)")
            entry.old = old
            try host.listFile.edit { try $0.set(entry) }
            try await host.live.until("the host knows the key") {
                try host.hostKeys.access(of: key)?.entry.keys == entry.keys
            }
        }

        /// The key of the link of the machine's command.
        private func key(_ host: KeyedHost) -> PublicKey? {
            host.live.host.hub.links.values.first { $0.name.hasPrefix("desk-") }?.access?.key
        }

        @Test("Both keys are valid for a while, links stay, and only the new key is replaced again")
        func both() async throws {
            try await KeyedHost.with { host in
                try await host.allow("desk operator send=a*")
                let desk = try await host.client("desk")
                defer { desk.close() }
                let link = desk.welcome.link
                let next = try KeyPair()
                for _ in 0..<2 {
                    let rotation = try await desk.chain.hostRotateKey(key: "\(next.publicKey)", keep: 3600)
                    #expect(rotation.name == "desk")
                    #expect(abs(rotation.until - Date().timeIntervalSince1970 - 3600) < 60)
                }
                let entry = try #require(try host.listFile.read()["desk"])
                #expect(entry.key == next.publicKey)
                #expect(entry.old?.key == (try host.key(of: "desk").publicKey))
                #expect(entry.grants.texts == ["send=a*"])
                // The old one and the new one let in, and the first link is still there.
                try await host.client("desk").close()
                let context = HostContext(name: "test", address: host.address, key: try host.hostKey, ownName: "desk")
                let new = try await HostClient(
                    ClientOptions(timeout: 20), at: HostReference(context, keys: next), connectTimeout: .seconds(20))
                defer { new.close() }
                #expect(host.live.host.hub.links[link] != nil)
                // Who still has the old key cannot take the place of the machine with it.
                let error = try await #require(throws: RemoteError.self) {
                    try await desk.chain.hostRotateKey(key: "\(KeyPair().publicKey)", keep: 3600)
                }
                #expect(error.message.contains("was replaced already"), "\(error.message)")
                let third = try KeyPair()
                _ = try await new.chain.hostRotateKey(key: "\(third.publicKey)", keep: 3600)
                #expect(try host.listFile.read()["desk"]?.old?.key == next.publicKey)
                // The first of the three keys is over now.
                try await host.live.until("its link has ended") { host.live.host.hub.links[link] == nil }
                #expect(try await new.chain.hostStatus().name == "test")
            }
        }

        @Test("When the old key is over, its links attach anew with the new one")
        func end() async throws {
            let temporary = try TemporaryFolder()
            try await KeyedHost.with { host in
                let folder = try machine("desk", host, in: temporary)
                let old = try folder.key(in: folder.ownKeyFile).publicKey
                try await allow(old, host)
                let desk = try await client(folder)
                defer { desk.close() }
                let next = try folder.keyOrNew(in: folder.ownNextKeyFile).keys.publicKey
                _ = try await desk.chain.hostRotateKey(key: "\(next)", keep: 2)
                try folder.replaceKey(in: folder.ownKeyFile, byThatIn: folder.ownNextKeyFile)
                #expect(key(host) == old)
                try await host.live.until("the command has attached with the new key") { key(host) == next }
                #expect(try await desk.chain.hostStatus().name == "test")
                #expect(desk.refusal == nil)
                let audit = try await host.live.client().chain.hostAudit(since: nil)
                #expect(audit.contains { $0.action == "hostRotateKey" && $0.key == "desk" && $0.object == "desk" })
            }
        }

        @Test(
            "A hello with a key that is over, on a connection that still lives, is told to come back with the new one")
        func lateHello() async throws {
            try await KeyedHost.with { host in
                try await host.allow("desk operator")
                let raw = try await host.attached("desk", role: .operator)
                let old = try host.key(of: "desk").publicKey
                try await allow(
                    KeyPair().publicKey, host, old: KeyEntry.OldKey(old, until: Date().addingTimeInterval(2)))
                let refusal = try await raw.next(.refusal).decodePayload(as: Refusal.self)
                #expect(refusal.code == .unknownLink)
                #expect(refusal.reason.contains("was replaced"), "\(refusal.reason)")
                let again = try await raw.hello("desk", role: .operator, endpoint: host.address)
                #expect(try again.decodePayload(as: Refusal.self).code == .unknownLink)
                let publisher = try #require(host.live.host.hub.endpoints.last?.publisher)
                let outcome = await host.handshake(of: "desk", at: publisher)
                #expect(outcome == .unknownKey)
            }
        }

        @Test("Wherever the rotation stops, the machine gets in with the key that the host knows")
        func stopped() async throws {
            let temporary = try TemporaryFolder()
            try await KeyedHost.with { host in
                let folder = try machine("desk", host, in: temporary)
                let old = try folder.key(in: folder.ownKeyFile).publicKey
                let next = try folder.keyOrNew(in: folder.ownNextKeyFile).keys.publicKey
                // The new key was made, and no host has it.
                try await allow(old, host)
                try await client(folder).close()
                // The host has both.
                try await allow(next, host, old: KeyEntry.OldKey(old, until: Date().addingTimeInterval(60)))
                try await client(folder).close()
                // The old one is over, and still in its place on the machine.
                try await allow(next, host)
                let desk = try await client(folder)
                #expect(key(host) == next)
                // It is asked for again.
                #expect(try await desk.chain.hostRotateKey(key: "\(next)", keep: 3600).name == "desk")
                desk.close()
                try folder.replaceKey(in: folder.ownKeyFile, byThatIn: folder.ownNextKeyFile)
                try await client(folder).close()
                // Neither is known.
                try await allow(KeyPair().publicKey, host)
                let error = try await #require(throws: HandshakeFailed.self) { try await client(folder) }
                #expect(error.description.contains("does not know this key"), "\(error.description)")
            }
        }

        @Test("A key that cannot be used is refused, and nothing changes")
        func refused() async throws {
            try await KeyedHost.with { host in
                for line in ["desk operator", "wall worker", "new invitation as=worker"] { try await host.allow(line) }
                let desk = try await host.client("desk")
                defer { desk.close() }
                let text = try host.listFile.read().text
                let fine = "\(try KeyPair().publicKey)"
                for (key, keep, words) in [
                    ("12", 3600.0, "64 hexadecimal digits"), (fine, -1, "up to 30 days"), (fine, 1e9, "up to 30 days"),
                    (fine, .nan, "up to 30 days"),
                    ("\(try host.key(of: "wall").publicKey)", 3600, "is that of line"),
                ] {
                    let error = try await #require(throws: RemoteError.self) {
                        try await desk.chain.hostRotateKey(key: key, keep: keep)
                    }
                    #expect(error.message.contains(words), "\(error.message)")
                }
                let local = try await host.live.client()
                let keyless = try await #require(throws: RemoteError.self) {
                    try await local.chain.hostRotateKey(key: fine, keep: 3600)
                }
                #expect(keyless.message.contains("only a machine with a key"))
                let invited = try await host.client("new")
                defer { invited.close() }
                let error = try await #require(throws: MessageError.self) {
                    try await invited.chain.hostRotateKey(key: fine, keep: 3600)
                }
                #expect(error.code == .unauthorized)
                #expect(try host.listFile.read().text == text)
            }
        }
    }
}
