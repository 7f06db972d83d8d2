import Bus
import Foundation
import TestKit
import Testing

extension CommandTests {
    /// `scenebus key rotate`, as a person uses it.
    @Suite(.timeLimit(.minutes(5)))
    struct KeyRotationProcessTests {
        /// The machine of the host.
        private let installation: Installation
        /// Another machine.
        private let other: Installation

        init() throws {
            installation = try Installation()
            other = try Installation()
        }

        private func invitation(_ name: String, _ role: String) async throws -> String {
            let outcome = try await installation.scenebus("invite", "--name", name, "--role", role)
            try #require(outcome.code == 0, "\(outcome.error)")
            return try #require(outcome.output.split(whereSeparator: \.isWhitespace).first.map(String.init))
        }

        private func links() async throws -> [StatusReply.Link] {
            try await installation.scenebus("status", "--json").json(StatusReply.self).links
        }

        private func ownKey() async throws -> String { try await other.scenebus("key", "own").output }

        private var list: String { "\(installation.folder)/keys/default.host.allowed" }

        private struct Listed: Decodable {
            var key: String
            var oldKey: String?
            var oldKeyUntil: String?
        }

        @Test("A machine's key is replaced while its worker runs, whose link stays and then uses the new key")
        func ownKeyIsReplaced() async throws {
            try await installation.withHost("--no-store", "--listen", "tcp://127.0.0.1:*") { _ in
                let token = try await invitation("wall-3", "worker")
                #expect(try await other.join(token, "--context", "wall").code == 0)
                let old = try await ownKey()
                let worker = try await other.run(
                    "\(Installation.executables)/controlroom-worker", ["--host", "wall"]
                ) { running in
                    try await installation.until("status", "--json") {
                        try $0.json(StatusReply.self).links.contains { $0.pid == running.pid }
                    }
                    // The link of the command that has joined may still be there, too.
                    let before = try #require(try await links().first { $0.pid == running.pid })
                    let rotated = try await other.scenebus("key", "rotate", "--keep", "1h")
                    #expect(rotated.code == 0, "\(rotated.error)")
                    #expect(rotated.output.contains("wall: the host has the new key"), "\(rotated.output)")
                    let new = try await ownKey()
                    #expect(new != old)
                    #expect(try await links().contains { $0.link == before.link })
                    let listed = try await installation.scenebus("key", "ls", "--json").json([Listed].self)
                    #expect(listed.map { $0.key + "\n" } == [new])
                    #expect(listed.map { ($0.oldKey ?? "") + "\n" } == [old])
                    let table = try await installation.scenebus("key", "ls")
                    let note = "the key before, \(old.prefix(8)), is valid until"
                    #expect(table.output.contains(note), "\(table.output)")
                    // The old key is over.
                    let until = try #require(listed.first?.oldKeyUntil)
                    let text = try String(contentsOfFile: list, encoding: .utf8)
                    try text.replacing("until=\(until)", with: "until=2020-01-01T00:00:00Z")
                        .write(toFile: list, atomically: true, encoding: .utf8)
                    try await installation.until("status", "--json") {
                        try $0.json(StatusReply.self).links.contains {
                            $0.peer == before.peer && $0.pid == before.pid && $0.link != before.link
                        }
                    }
                    try running.send(SIGTERM)
                }
                #expect(worker.code == 0, "\(worker.error)")
            }
        }

        @Test("When a host cannot be told, nothing is replaced or lost, and the next run goes on")
        func unreachable() async throws {
            try await installation.withHost("--no-store", "--listen", "tcp://127.0.0.1:*") { _ in
                let token = try await invitation("desk", "operator")
                #expect(try await other.join(token, "--context", "wall").code == 0)
                let key = String(repeating: "a1", count: 32)
                let added = try await other.scenebus(
                    "context", "add", "away", "tcp://127.0.0.1:1", key, "--as", "desk")
                #expect(added.code == 0, "\(added.error)")
                let old = try await ownKey()
                let failed = try await other.scenebus("key", "rotate", "--timeout", "2")
                #expect(failed.code == 3, "\(failed.error)")
                for words in ["1 of 2 contexts", "--without away"] {
                    #expect(failed.error.contains(words), "\(failed.error)")
                }
                #expect(try await ownKey() == old)
                let listed = try await installation.scenebus("key", "ls", "--json").json([Listed].self)
                #expect(listed.map { ($0.oldKey ?? "") + "\n" } == [old])
                // Nothing is lost when the old key is over at the host that was told.
                let text = try String(contentsOfFile: list, encoding: .utf8)
                let until = try #require(listed[0].oldKeyUntil)
                let over = " old=\(old.dropLast()) until=\(until)"
                #expect(text.contains(over))
                try text.replacing(over, with: "").write(toFile: list, atomically: true, encoding: .utf8)
                try await other.until("status", "--host", "wall", "--json") { $0.code == 0 }
                let finished = try await other.scenebus("key", "rotate", "--without", "away")
                #expect(finished.code == 0, "\(finished.error)")
                #expect(finished.output.contains("scenebus key allow desk ROLE"), "\(finished.output)")
                #expect(try await ownKey() == listed[0].key + "\n")
                #expect(!FileManager.default.fileExists(atPath: "\(other.folder)/keys/own.next.key"))
                #expect(try await other.scenebus("status", "--host", "wall").code == 0)
            }
        }

        @Test("The host's key is replaced while a monitor is attached, and machines that were told follow")
        func hostKeyIsReplaced() async throws {
            try await installation.withHost("--no-store", "--listen", "tcp://127.0.0.1:*") { _ in
                let token = try await invitation("desk", "operator")
                #expect(try await other.join(token, "--context", "wall").code == 0)
                let old = try await installation.scenebus("key", "show").output
                let watching = try await other.run(
                    "\(Installation.executables)/scenebus", ["monitor", "--host", "wall"]
                ) { running in
                    try await installation.until("status", "--json") {
                        try $0.json(StatusReply.self).links.contains { $0.pid == running.pid }
                    }
                    let before = try #require(try await links().first { $0.pid == running.pid })
                    let rotated = try await installation.scenebus("key", "rotate", "--host-key", "--keep", "5s")
                    #expect(rotated.code == 0, "\(rotated.error)")
                    let twice = try await installation.scenebus("key", "rotate", "--host-key")
                    #expect(twice.code == 4)
                    #expect(twice.error.contains("is being replaced already"), "\(twice.error)")
                    try await until("the monitor has noted the next key") {
                        try String(contentsOfFile: "\(other.folder)/keys/contexts", encoding: .utf8).contains(" next=")
                    }
                    let late = try await installation.scenebus("invite", "--name", "hall", "--role", "worker")
                    #expect(late.error.contains("the invitation does not work after that"), "\(late.error)")
                    try await installation.until("key", "show") { $0.output != old }
                    try await other.until("status", "--host", "wall", "--json") { $0.code == 0 }
                    let after = try await links()
                    #expect(after.contains { $0.link == before.link }, "\(before) is not among \(after)")
                    try running.send(SIGTERM)
                }
                #expect(watching.code == 0, "\(watching.error)")
                let new = try await installation.scenebus("key", "show").output
                try await other.until("status", "--host", "wall", "--json") { _ in
                    try String(contentsOfFile: "\(other.folder)/keys/contexts", encoding: .utf8).contains(
                        new.dropLast())
                }
            }
        }

        @Test(
            "What cannot be rotated says why",
            arguments: [
                (["key", "rotate"], 4, "there is no context"),
                (["key", "rotate", "--keep", "31d"], 2, "no span of up to 30 days"),
                (["key", "rotate", "--keep", "soon"], 2, "no span of up to 30 days"),
                (["key", "rotate", "--without", "wall"], 2, "no context 'wall'"),
                (["key", "rotate", "--host-key", "--keep", "soon"], 2, "no span such as"),
                (["key", "rotate", "--host-key", "--without", "wall"], 2, "not for a host's"),
            ] as [([String], Int32, String)])
        func wrong(arguments: [String], code: Int32, words: String) async throws {
            let outcome = try await other.run("\(Installation.executables)/scenebus", arguments)
            #expect(outcome.code == code, "\(outcome.error)")
            #expect(outcome.error.contains(words), "\(outcome.error)")
        }
    }
}
