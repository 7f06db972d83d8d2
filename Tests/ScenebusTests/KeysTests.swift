import Messaging
import Bus
import Foundation
import TestKit
import Testing

extension CommandTests {
    /// Keys, contexts and invitations, as a person uses them.
    @Suite(.timeLimit(.minutes(5)))
    struct KeysTests {
        /// The machine of the host.
        private let installation: Installation
        /// Another machine.
        private let other: Installation

        init() throws {
            installation = try Installation()
            other = try Installation()
        }

        /// The first word that a command prints.
        private func word(_ outcome: Outcome) throws -> String {
            try #require(outcome.code == 0, "\(outcome.error)")
            return try #require(outcome.output.split(whereSeparator: \.isWhitespace).first.map(String.init))
        }

        private func address() async throws -> String {
            let status: StatusReply = try await installation.scenebus("status", "--json").json()
            return try #require(status.endpoints.last)
        }

        @Test("A machine joins with an invitation, and its worker, its commands and its keys do what they may")
        func join() async throws {
            let outcome = try await installation.withHost("--no-store", "--listen", "tcp://127.0.0.1:*") { _ in
                let token = try word(try await installation.scenebus("invite", "--name", "wall-3", "--role", "worker"))
                let listed = try await installation.scenebus("key", "ls")
                #expect(listed.output.contains("invitation (worker)"), "\(listed.output)")
                let joined = try await other.join(token, "--context", "wall")
                #expect(joined.code == 0, "\(joined.error)")
                #expect(joined.output.contains("as 'wall-3', in the role 'worker'"), "\(joined.output)")
                #expect(joined.output.contains("--host wall"), "\(joined.output)")
                let again = try await other.join(token)
                #expect(again.code == 4)
                #expect(again.error.contains("was used"), "\(again.error)")
                // The key that the host does not know is the invitation's.
                #expect(!again.error.contains("key allow"), "\(again.error)")
                // It may run scenes, and not act as an operator.
                let status = try await other.scenebus("status", "--host", "wall")
                #expect(status.code == 4)
                #expect(status.error.contains("the role 'worker'"), "\(status.error)")
                let worker = try await other.run(
                    "\(Installation.executables)/controlroom-worker", ["--host", "wall"]
                ) { running in
                    try await installation.until("status", "--json") {
                        try $0.json(StatusReply.self).links.contains {
                            $0.peer.hasPrefix("wall-3-") && $0.role == "worker"
                        }
                    }
                    let revoked = try await installation.scenebus("key", "revoke", "wall-3")
                    #expect(revoked.code == 0, "\(revoked.error)")
                }
                #expect(worker.code == 4, "\(worker.error)")
                #expect(worker.error.contains("does not allow the key 'wall-3' any more"), "\(worker.error)")
            }
            #expect(!outcome.error.contains("without keys"))
        }

        @Test("A machine is let in by hand: its key is allowed, and the host's key is added as a context")
        func byHand() async throws {
            try await installation.withHost("--no-store", "--listen", "tcp://127.0.0.1:*") { _ in
                let address = try await self.address()
                let own = try word(try await other.scenebus("key", "own"))
                let host = try word(try await installation.scenebus("key", "show"))
                let added = try await other.scenebus("context", "add", "wall", address, host, "--as", "desk")
                #expect(added.code == 0, "\(added.error)")
                let stranger = try await other.scenebus("status", "--host", "wall")
                #expect(stranger.code == 4)
                #expect(stranger.error.contains("scenebus key allow desk operator \(own)"), "\(stranger.error)")
                let allowed = try await installation.scenebus(
                    "key", "allow", "desk", "operator", own, "--expires", "1d")
                #expect(allowed.code == 0, "\(allowed.error)")
                try await other.until("status", "--host", "wall", "--json") { $0.code == 0 }
                #expect(try await other.scenebus("context", "use", "wall").code == 0)
                let status: StatusReply = try await other.scenebus("status", "--json").json()
                #expect(status.links.contains { $0.peer.hasPrefix("desk-operator-") })
                let monitor = try await other.run("timeout", ["1", "\(Installation.executables)/scenebus", "monitor"])
                #expect(monitor.output.contains("TIME"), "\(monitor.error)")
                #expect(try await other.scenebus("context", "use").code == 0)
                #expect(try await other.scenebus("status").code == 3)
                #expect(try await other.scenebus("context", "rm", "wall").code == 0)
                #expect(try await other.scenebus("status", "--host", "wall").code == 2)
            }
        }

        @Test(
            "What cannot be used says what is wrong, and changes nothing",
            arguments: [
                (["key", "allow", "wall-3", "driver", "KEY"], 2, "'driver' is no role"),
                (["key", "allow", "wall-3", "worker", "12"], 2, "64 hexadecimal digits"),
                (["key", "allow", "host", "worker", "KEY"], 2, "is reserved"),
                (["key", "allow", "wall-3", "worker", "KEY", "--grant", "fly=1"], 2, "is no grant"),
                (["key", "allow", "wall-3", "worker", "KEY", "--expires", "2020-01-01T00:00:00Z"], 2, "is over"),
                (["key", "allow", "wall-3", "worker", "KEY", "--expires", "soon"], 2, "neither a time"),
                (["key", "revoke", "nobody"], 4, "scenebus key ls"),
                (["context", "add", "wall", "ipc:///run/bus", "KEY", "--as", "w"], 2, "tcp://"),
                (["context", "add", "wall", "tcp://192.0.2.7", "KEY", "--as", "w"], 2, "no port"),
                (["context", "use", "nowhere"], 4, "scenebus context ls"),
                (["context", "rm", "nowhere"], 4, "context ls"),
                (["join", "hello"], 2, "a command's arguments; nothing was sent"), (["join"], 2, "is no invitation"),
                (["invite", "--name", "wall-3"], 3, "does not run here"),
                (["invite", "--name", "wall-3", "--role", "invitation"], 2, "is no role"),
                (["invite", "--name", "wall-3", "--address", "here"], 2, "is not an address"),
            ] as [([String], Int32, String)])
        func wrong(arguments: [String], code: Int32, words: String) async throws {
            let key = String(repeating: "a1", count: 32)
            let outcome = try await installation.run(
                "\(Installation.executables)/scenebus", arguments.map { $0 == "KEY" ? key : $0 })
            #expect(outcome.code == code, "\(outcome.error)")
            #expect(outcome.error.contains(words), "\(outcome.error)")
            #expect(try await installation.scenebus("key", "ls", "--json").output == "[]\n")
            #expect(try await installation.scenebus("context", "ls", "--json").output == "[]\n")
        }

        @Test("An invitation that has expired, or whose host cannot be reached, says so")
        func lateInvitation() async throws {
            let expired = try word(
                try await installation.scenebus(
                    "invite", "--name", "wall-3", "--address", "tcp://127.0.0.1:1", "--expires", "1s"))
            var late = try await other.join(expired, "--timeout", "0.2")
            while !late.error.contains("clock") { late = try await other.join(expired, "--timeout", "0.2") }
            #expect(late.code == 4)
            let away = try word(
                try await installation.scenebus("invite", "--name", "wall-4", "--address", "tcp://127.0.0.1:1"))
            let outcome = try await other.join(away, "--timeout", "0.2")
            #expect(outcome.code == 3, "\(outcome.error)")
            #expect(outcome.error.contains("tcp://127.0.0.1:1"))
        }

        @Test("An invitation that was cut short, or whose host is another one, or has another time, changes nothing")
        func badInvitation() async throws {
            try await installation.withHost("--no-store", "--listen", "tcp://127.0.0.1:*") { _ in
                func joined(_ token: String, _ code: Int32, _ words: String) async throws {
                    let outcome = try await other.join(token, "--timeout", "5")
                    #expect(outcome.code == code, "\(outcome.error)")
                    #expect(outcome.error.contains(words), "\(outcome.error)")
                    #expect(try await other.scenebus("context", "ls", "--json").output == "[]\n")
                }
                let token = try word(try await installation.scenebus("invite", "--name", "wall-3", "--role", "worker"))
                try await joined(String(token.dropLast(9)), 2, "the invitation is damaged: copy it as a whole")
                // Another host answers at the address.
                let foreign = try word(
                    try await other.scenebus("invite", "--name", "wall-3", "--address", try await address()))
                try await joined(foreign, 4, "or something else answers at the address")
                // The clock of the host is an hour ahead of this machine's.
                let list = "\(installation.folder)/keys/default.host.allowed"
                let text = try String(contentsOfFile: list, encoding: .utf8)
                let over = text.split(separator: " ").map {
                    $0.hasPrefix("expires=") ? "expires=2020-01-01T00:00:00Z\n" : $0
                }
                try over.joined(separator: " ").write(toFile: list, atomically: true, encoding: .utf8)
                try await joined(token, 4, "was used, withdrawn or has expired")
            }
        }

        @Test("An invitation is refused as an argument, and asked for on a terminal that does not show it")
        func secretInvitation() async throws {
            try await installation.withHost("--no-store", "--listen", "tcp://127.0.0.1:*") { _ in
                let token = try word(try await installation.scenebus("invite", "--name", "wall-3", "--role", "worker"))
                let argument = try await other.scenebus("join", token, "--context", "wall")
                #expect(argument.code == 2)
                #expect(argument.error.contains("paste the invitation when it is asked for"), "\(argument.error)")
                #expect(!argument.error.contains(token))
                let terminal = try PseudoTerminal()
                _ = try await other.run(
                    "setsid",
                    [
                        "--wait", "sh", "-c", #""$0" join < \#(terminal.path); echo code $? > /dev/tty"#,
                        "\(Installation.executables)/scenebus",
                    ]
                ) { _ in
                    try await terminal.shown(until: "invitation: ")
                    #expect(!terminal.echoes)
                    try terminal.type(token + "\n")
                    #expect(try await !terminal.shown(until: "code 0").contains(token))
                }
            }
        }

        @Test("An invitation is not revoked by its text, which would be kept, and the command says by what name")
        func revokedInvitation() async throws {
            try await installation.withHost("--listen", "tcp://127.0.0.1:*") { _ in
                let token = try word(try await installation.scenebus("invite", "--name", "wall-3", "--role", "worker"))
                for arguments in [[token], [token, "--host-name", "default"], [String(token.prefix(60))]] {
                    let outcome = try await installation.run(
                        "\(Installation.executables)/scenebus", ["key", "revoke"] + arguments)
                    #expect(outcome.code == 2)
                    #expect(outcome.error.contains("this is an invitation"), "\(outcome.error)")
                    #expect(!outcome.error.contains(token.prefix(60)), "\(outcome.error)")
                }
                let named = try await installation.scenebus("key", "revoke", token)
                #expect(named.error.contains("scenebus key revoke wall-3"), "\(named.error)")
                // Another secret that was pasted in the wrong place.
                let other = try await installation.scenebus("key", "revoke", "zwiebel kuchen")
                #expect(other.code == 4)
                #expect(other.error.contains("matches the given text"), "\(other.error)")
            }
        }

        @Test("Two lines with one key or one name are told apart by the command, the list and the status")
        func twice() async throws {
            let keys = ["a1", "b2"].map { String(repeating: $0, count: 32) }
            #expect(try await installation.scenebus("key", "allow", "wall", "worker", keys[0]).code == 0)
            let used = try await installation.scenebus("key", "allow", "hall", "worker", keys[0])
            #expect(used.code == 2)
            #expect(used.error.contains("is that of line 1, too: a key has one name"), "\(used.error)")
            let list = "\(installation.folder)/keys/default.host.allowed"
            var text = try String(contentsOfFile: list, encoding: .utf8)
            text += "wall viewer \(keys[1])\nhall worker \(keys[0])\nlobby driver \(keys[1])\n"
            try text.write(toFile: list, atomically: true, encoding: .utf8)
            chmod(list, 0o600)
            let problems = ["line 2: the name 'wall'", "line 3: the key of 'hall'", "line 4: 'driver' is no role"]
            let listed = try await installation.scenebus("key", "ls")
            for problem in problems { #expect(listed.error.contains(problem), "\(listed.error)") }
            try await installation.withHost("--no-store", "--listen", "tcp://127.0.0.1:*") { _ in
                let status = try await installation.scenebus("status", "--json").json(StatusReply.self)
                for problem in problems {
                    #expect(status.problems.contains { $0.contains(problem) }, "\(status.problems)")
                }
            }
            #expect(try String(contentsOfFile: list, encoding: .utf8) == text)
        }

        @Test("A key that others can read is refused by the host and by its peers")
        func readableKeys() async throws {
            _ = try await installation.scenebus("key", "show")
            let file = "\(installation.folder)/keys/default.host.key"
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            let host = try await installation.scenebus("host", "--no-store", "--listen", "tcp://127.0.0.1:*")
            #expect(host.code == 4)
            #expect(host.error.contains("chmod 600 \(file)"), "\(host.error)")
        }
    }
}
