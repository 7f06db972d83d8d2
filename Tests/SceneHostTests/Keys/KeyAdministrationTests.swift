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
    /// An administrator on another machine, who decides which keys the host allows.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct KeyAdministrationTests {
        private func allow(
            _ client: HostClient, _ name: String, _ role: String, _ key: String? = nil, invites: String? = nil,
            grants: [String] = [], expires: Double? = nil, lasts: Double? = nil, comment: String? = nil
        ) async throws -> KeyChange {
            try await client.chain.hostAllowKey(
                name: name, role: role, key: try key ?? "\(KeyPair().publicKey)", invites: invites, grants: grants,
                expires: expires, lasts: lasts, comment: comment)
        }

        private func refusal(_ body: () async throws -> Void) async throws -> String {
            try await #require(throws: RemoteError.self) { try await body() }.message
        }

        @Test("It allows, lists and removes keys, and the host keeps who has done so")
        func administrates() async throws {
            try await KeyedHost.with { host in
                try await host.allow("chief administrator")
                let chief = try await host.client("chief")
                defer { chief.close() }
                let key = try host.key(of: "wall").publicKey
                let change = try await allow(
                    chief, "wall", "worker", "\(key)", grants: ["send=account*", "offer=Wall"], lasts: 3600,
                    comment: "in the lobby")
                #expect(change.name == "wall")
                #expect(change.hostKey == "\(try host.hostKey)")
                #expect(abs(try #require(change.expires) - Date().timeIntervalSince1970 - 3600) < 60)
                let raw = try await host.attached("wall", role: .worker)
                let (keys, problems) = try await chief.chain.hostKeys()
                #expect(keys.map(\.name) == ["chief", "wall"])
                #expect(keys[1].grants == ["send=account*", "offer=Wall"])
                #expect(keys[1].comment == "in the lobby")
                #expect(keys[1].key == "\(key)" && keys[1].role == "worker" && keys[1].added != nil)
                #expect(problems.isEmpty)
                // It may be narrowed, as with an editor.
                _ = try await allow(chief, "wall", "viewer", "\(key)")
                #expect(try await raw.next(.refusal).decodePayload(as: Refusal.self).code == .unknownLink)
                #expect(try await chief.chain.hostRevokeKey(key: String("\(key)".prefix(8))).name == "wall")
                await #expect(throws: HandshakeFailed.self) { try await host.client("wall") }
                let entries = try await host.live.client().chain.hostAudit(since: nil).filter { $0.key == "chief" }
                #expect(entries.map(\.action) == ["hostAllowKey", "hostAllowKey", "hostRevokeKey"])
                #expect(entries.map(\.object) == ["wall worker", "wall viewer", String("\(key)".prefix(8))])
                #expect(entries.allSatisfy { $0.outcome == AuditEntry.done && $0.role == "administrator" })
            }
        }

        @Test("It invites a machine, and not in the place of one that has a key")
        func invites() async throws {
            try await KeyedHost.with { host in
                for line in ["chief administrator", "hall worker"] { try await host.allow(line) }
                let chief = try await host.client("chief")
                defer { chief.close() }
                let key = "\(try host.key(of: "wall").publicKey)"
                _ = try await allow(chief, "wall", "invitation", key, invites: "worker", lasts: 900)
                let invited = try await host.client("wall")
                defer { invited.close() }
                let own = try KeyPair().publicKey
                #expect(try await invited.chain.hostEnroll(key: "\(own)").role == "worker")
                let words = try await refusal {
                    _ = try await allow(chief, "hall", "invitation", invites: "worker", lasts: 900)
                }
                #expect(words.contains("scenebus key revoke hall"), "\(words)")
            }
        }

        @Test("An invitation that is given in the place of its name is in no error and no audit entry")
        func pastedInvitation() async throws {
            try await KeyedHost.with { host in
                try await host.allow("chief administrator")
                let chief = try await host.client("chief")
                defer { chief.close() }
                let token = InvitationToken(
                    addresses: [host.address], host: try host.hostKey, keys: try KeyPair(), name: "wall",
                    expires: .now + 60
                ).text
                for text in [token, String(token.prefix(100)), "zwiebel kuchen"] {
                    let words = try await refusal { _ = try await chief.chain.hostRevokeKey(key: text) }
                    #expect(words.contains("matches the given text"), "\(words)")
                }
                let entries = try await host.live.client().chain.hostAudit(since: nil)
                    .filter { $0.action == "hostRevokeKey" }
                #expect(entries.count == 3)
                for entry in entries { #expect(!"\(entry)".contains("scenebus1-") && !"\(entry)".contains("zwiebel")) }
            }
        }

        @Test("It cannot lock itself out, and is told the way out")
        func ownLine() async throws {
            try await KeyedHost.with { host in
                for line in ["chief administrator", "other administrator"] { try await host.allow(line) }
                let chief = try await host.client("chief")
                defer { chief.close() }
                let text = try host.listFile.read().text
                let key = "\(try host.key(of: "chief").publicKey)"
                for words in [
                    try await refusal { _ = try await chief.chain.hostRevokeKey(key: "chief") },
                    try await refusal { _ = try await chief.chain.hostRevokeKey(key: String(key.prefix(8))) },
                    try await refusal { _ = try await allow(chief, "chief", "viewer", key) },
                    try await refusal { _ = try await allow(chief, "chief", "administrator") },
                    try await refusal { _ = try await allow(chief, "chief", "administrator", key, lasts: 1) },
                ] {
                    #expect(
                        words.contains("another administrator") && words.contains("machine of the host"), "\(words)")
                }
                #expect(try host.listFile.read().text == text)
                // Another one may.
                let other = try await host.client("other")
                defer { other.close() }
                #expect(try await other.chain.hostRevokeKey(key: "chief").name == "chief")
            }
        }

        @Test("What cannot be used is refused with the reason, and changes nothing")
        func badInput() async throws {
            try await KeyedHost.with { host in
                for line in ["chief administrator", "wall worker"] { try await host.allow(line) }
                let chief = try await host.client("chief")
                defer { chief.close() }
                let text = try host.listFile.read().text
                let used = "\(try host.key(of: "wall").publicKey)"
                let now = Date().timeIntervalSince1970
                func expect(
                    _ words: String, _ name: String = "new", _ role: String = "worker", _ key: String? = nil,
                    grants: [String] = [], expires: Double? = nil, lasts: Double? = nil, comment: String? = nil
                ) async throws {
                    let message = try await refusal {
                        _ = try await allow(
                            chief, name, role, key, grants: grants, expires: expires, lasts: lasts, comment: comment)
                    }
                    #expect(message.contains(words), "\(message)")
                }
                try await expect("'driver' is no role", "new", "driver")
                try await expect("64 hexadecimal digits", "new", "worker", "12")
                try await expect("is that of line 2, too", "new", "worker", used)
                try await expect("among the names of the peers of 'wall'", "wall-1")
                try await expect("is reserved", "host")
                try await expect("has a space or a '#'", "a b")
                try await expect("is no grant", grants: ["fly=1"])
                try await expect("not as another field", grants: ["expires=2030-01-01T00:00:00Z"])
                try await expect("a comment is one line", comment: "a\nb worker c")
                try await expect("says what for", "new", "invitation")
                // An administrator whose clock is an hour behind.
                try await expect("this host's clock is at", expires: now - 3600)
                try await expect("is over, or not possible", expires: .nan)
                try await expect("is over, or not possible", lasts: 1e18)
                let unknown = try await refusal { _ = try await chief.chain.hostRevokeKey(key: "nobody") }
                #expect(unknown.contains("scenebus key ls"))
                let place = try await refusal { _ = try await chief.chain.hostKeys(after: "?", limit: nil) }
                #expect(place.contains("no page ends"))
                #expect(try host.listFile.read().text == text)
            }
        }

        @Test("A list is read page by page, with what is wrong in it")
        func pages() async throws {
            try await KeyedHost.with(list: "broken wrker x\n") { host in
                for line in ["c worker", "chief administrator", "a plugin", "b viewer"] { try await host.allow(line) }
                let chief = try await host.client("chief")
                defer { chief.close() }
                let first = try await chief.chain.hostKeys(after: nil, limit: 3)
                #expect(first.keys.map(\.name) == ["a", "b", "c"])
                #expect(first.problems.count == 1)
                #expect(first.problems.first?.contains("line 1: 'wrker' is no role") == true)
                let second = try await chief.chain.hostKeys(after: first.next, limit: 3)
                #expect(second.keys.map(\.name) == ["chief"])
                #expect(second.next == nil)
            }
        }

        @Test("A grant that matches nothing which the host knows is named")
        func unmatched() async throws {
            try await KeyedHost.with { host in
                for line in ["chief administrator", "greeter plugin"] { try await host.allow(line) }
                let chief = try await host.client("chief")
                defer { chief.close() }
                let raw = try await host.attached("greeter", role: .plugin, handles: ["greetingSay"])
                let unmatched = try await chief.chain.hostUnmatchedGrants(grants: [
                    "send=greeting*", "send=greating*", "send=hostOpenSession", "send=host*", "handle=greetingSay",
                    "provide=mail", "offer=Nowhere",
                ])
                #expect(unmatched == ["offer=Nowhere", "provide=mail", "send=greating*", "send=host*"])
                withExtendedLifetime(raw) {}
            }
        }

        @Test("A peer of the host's own machine may do the same, and a host without keys says that it has none")
        func local() async throws {
            try await KeyedHost.with { host in
                try await host.allow("chief administrator")
                let local = try await host.live.client()
                #expect(try await local.chain.hostRevokeKey(key: "chief").name == "chief")
            }
            try await withHost { live in
                let words = try await refusal { _ = try await live.client().chain.hostKeys(after: nil, limit: nil) }
                #expect(words.contains("lets in no keys"))
            }
        }
    }
}
