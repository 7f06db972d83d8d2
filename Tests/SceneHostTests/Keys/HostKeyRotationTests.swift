import Access
import Bus
import Foundation
import Hub
import Messaging
import OperatorKit
import PeerLink
import TestKit
import Testing
import ZeroMQ

@testable import SceneHost

extension LiveTests {
    /// A host whose own key is replaced while peers are attached.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct HostKeyRotationTests {
        /// Another machine, with a context for the host.
        private func machine(_ name: String, _ host: KeyedHost, in temporary: TemporaryFolder) async throws -> KeyFolder
        {
            let folder = try KeyFolder("\(temporary.path)/\(name)")
            let own = try folder.keyOrNew(in: folder.ownKeyFile).keys
            try host.listFile.edit { try $0.set(try KeyEntry(line: "\(name) operator \(own.publicKey)")) }
            try await host.live.until("the host knows the key") {
                try host.hostKeys.access(of: own.publicKey) != nil
            }
            var contexts = HostContexts()
            contexts.set(HostContext(name: "test", address: host.address, key: try host.hostKey, ownName: name))
            try folder.save(contexts)
            return folder
        }

        /// Attaches as a command of the machine does.
        private func client(_ folder: KeyFolder, synchronizes: Bool = false) async throws -> HostClient {
            let reference = try HostReference(
                "test", isInsecure: false, environment: { $0 == "SCENEBUS_KEYS" ? folder.path : nil })
            return try await HostClient(
                ClientOptions(timeout: 20), at: reference, synchronizes: synchronizes, connectTimeout: .seconds(20))
        }

        private func context(_ folder: KeyFolder) throws -> HostContext {
            try #require(try folder.contexts()["test"])
        }

        /// Makes the next key, and waits until a machine that is attached knows it.
        private func announce(_ host: KeyedHost, to folder: KeyFolder) async throws -> PublicKey {
            let next = try NextHostKey.make(
                of: try BusName("test"), in: host.folder, from: Date().addingTimeInterval(3600)
            ).next.keys.publicKey
            try await host.live.until("the next key is known") { try context(folder).next == next }
            return next
        }

        /// Lets the host use the next key now.
        private func replace(_ host: KeyedHost, by next: PublicKey) async throws {
            try begin(host, at: Date())
            try await host.live.until("the host has the key") { try host.hostKey == next }
        }

        /// Sets when the next key is used.
        private func begin(_ host: KeyedHost, at time: Date) throws {
            let file = host.folder.nextKeyFile(of: try BusName("test"))
            let line = try String(contentsOfFile: file, encoding: .utf8).prefix { !$0.isNewline }
            try PrivateFile.write("\(line)\nfrom \(time.formatted(.iso8601))\n", to: file)
        }

        @Test("Peers are told the next key, their links stay when it comes, and they attach with it")
        func replaced() async throws {
            let temporary = try TemporaryFolder()
            try await KeyedHost.with { host in
                let old = try host.hostKey
                let desk = try await machine("desk", host, in: temporary)
                let away = try await machine("away", host, in: temporary)
                let attached = try await client(desk, synchronizes: true)
                defer { attached.close() }
                let link = attached.welcome.link
                let name = try BusName("test")
                let made = try NextHostKey.make(of: name, in: host.folder, from: Date().addingTimeInterval(3600))
                let next = made.next.keys.publicKey
                #expect(made.isNew)
                #expect(try !NextHostKey.make(of: name, in: host.folder, from: Date()).isNew)
                // One that is attached learns it, and keeps it in its file.
                try await host.live.until("the next key is known") { try context(desk).next == next }
                #expect(try context(desk).key == old)
                // One that is attached for a moment does so, too.
                let third = try await machine("third", host, in: temporary)
                try await client(third).close()
                #expect(try context(third).next == next)
                try begin(host, at: Date())
                try await host.live.until("the host has the key") { try host.hostKey == next }
                #expect(try await attached.chain.hostStatus().name == "test")
                #expect(host.live.host.hub.links[link] != nil)
                // Over both flows, and from then on with this key alone.
                for folder in [desk, third] {
                    try await client(folder, synchronizes: true).close()
                    #expect(try context(folder).key == next)
                    #expect(try context(folder).next == nil)
                }
                // One that was never told must be told by hand.
                let error = try await #require(throws: HandshakeFailed.self) { try await client(away) }
                #expect(error.description.contains("is not the one whose key is known here"), "\(error.description)")
                #expect(host.live.host.hub.links[link] != nil)
                #expect(try host.folder.key(in: host.folder.keyFile(of: name)).publicKey == next)
                #expect(try NextHostKey(of: name, in: host.folder) == nil)
                let audit = try await host.live.client().chain.hostAudit(since: nil)
                #expect(audit.contains { $0.action == "replace the host's key" && $0.object.contains("\(next)") })
            }
        }

        @Test("A link that stays through two changes leaves a key with which other processes attach")
        func twice() async throws {
            let temporary = try TemporaryFolder()
            try await KeyedHost.with { host in
                let desk = try await machine("desk", host, in: temporary)
                let attached = try await client(desk)
                defer { attached.close() }
                let first = try await announce(host, to: desk)
                try await replace(host, by: first)
                _ = try await announce(host, to: desk)
                #expect(try context(desk).key == first)
                try await client(desk).close()
            }
        }

        @Test("A change that is called off is forgotten")
        func calledOff() async throws {
            let temporary = try TemporaryFolder()
            try await KeyedHost.with { host in
                let desk = try await machine("desk", host, in: temporary)
                let attached = try await client(desk)
                defer { attached.close() }
                _ = try await announce(host, to: desk)
                try FileManager.default.removeItem(atPath: host.folder.nextKeyFile(of: try BusName("test")))
                try await host.live.until("it is forgotten") { try context(desk).next == nil }
                #expect(try context(desk).key == host.hostKey)
                try await client(desk).close()
            }
        }

        @Test("A link that is lost after the change attaches with the new key, whose peer was told over it")
        func lostLink() async throws {
            let temporary = try TemporaryFolder()
            try await KeyedHost.with { host in
                let desk = try await machine("desk", host, in: temporary)
                let attached = try await client(desk, synchronizes: true)
                defer { attached.close() }
                let next = try await announce(host, to: desk)
                try await replace(host, by: next)
                // A line that says something else makes the peer attach anew.
                try host.listFile.edit { list in
                    var entry = try #require(list["desk"])
                    entry.role = .viewer
                    try list.set(entry)
                }
                try await host.live.until("it has attached again") {
                    host.live.host.hub.links.values.contains { $0.access?.entry.role == .viewer }
                }
                #expect(try await attached.chain.hostStatus().name == "test")
                #expect(try context(desk).key == next)
            }
        }

        @Test("A next key that cannot be read is named, and the host goes on with its own")
        func unreadable() async throws {
            try await KeyedHost.with { host in
                let old = try host.hostKey
                let file = host.folder.nextKeyFile(of: try BusName("test"))
                let client = try await host.live.client()
                try PrivateFile.write("scenebus-secret-key 12\nfrom 2020-01-01T00:00:00Z\n", to: file)
                try await host.live.until("the status names the file") {
                    try await client.chain.hostStatus().problems.contains { $0.contains("\(file) has no key") }
                }
                let secret = Hexadecimal.text(try KeyPair().secret)
                try PrivateFile.write("scenebus-secret-key \(secret)\nfrom tomorrow\n", to: file)
                try await host.live.until("the status names the line") {
                    try await client.chain.hostStatus().problems.contains { $0.contains("from when the key is used") }
                }
                try FileManager.default.removeItem(atPath: file)
                try await host.live.until("there is no problem") {
                    try await client.chain.hostStatus().problems.isEmpty
                }
                #expect(try host.hostKey == old)
            }
        }

        @Test("A host that starts after the time begins with the new key")
        func laterStart() async throws {
            let temporary = try TemporaryFolder()
            let folder = try KeyFolder("\(temporary.path)/keys")
            let name = try BusName("test")
            _ = try folder.keyOrNew(in: folder.keyFile(of: name))
            let next = try NextHostKey.make(of: name, in: folder, from: Date().addingTimeInterval(-10)).next
            try await withHost(
                in: temporary, configure: { ($0.listen, $0.keys) = (["tcp://127.0.0.1:*"], folder.path) }
            ) { live in
                #expect(live.host.life?.keys?.own.publicKey == next.keys.publicKey)
            }
            #expect(try folder.key(in: folder.keyFile(of: name)).publicKey == next.keys.publicKey)
        }
    }
}
