import Bus
import Foundation
import TestKit
import Testing

extension CommandTests {
    /// Keys of a host that are administrated from another machine, as a person does it.
    @Suite(.timeLimit(.minutes(5)))
    struct KeyAdministrationProcessTests {
        /// The machine of the host.
        private let installation: Installation
        /// The machine of the administrator.
        private let desk: Installation
        /// A machine that joins.
        private let wall: Installation

        init() throws {
            installation = try Installation()
            desk = try Installation()
            wall = try Installation()
        }

        private func token(_ outcome: Outcome) throws -> String {
            try #require(outcome.code == 0, "\(outcome.error)")
            return try #require(outcome.output.split(whereSeparator: \.isWhitespace).first.map(String.init))
        }

        private struct Listed: Decodable {
            var name: String
            var role: String
            var expires: String?
        }

        @Test("An administrator invites, allows, lists and revokes from another machine")
        func fromAway() async throws {
            try await installation.withHost("--no-store", "--listen", "tcp://127.0.0.1:*") { _ in
                let chief = try token(
                    try await installation.scenebus("invite", "--name", "chief", "--role", "administrator"))
                #expect(try await desk.join(chief, "--context", "wall").code == 0)
                // The context names the host, also when it is the one in use.
                let invitation = try token(
                    try await desk.scenebus("invite", "--host", "wall", "--name", "wall-3", "--role", "worker"))
                let joined = try await wall.join(invitation)
                #expect(joined.code == 0, "\(joined.error)")
                #expect(joined.output.contains("as 'wall-3', in the role 'worker'"), "\(joined.output)")
                #expect(try await desk.scenebus("context", "use", "wall").code == 0)
                let key = try await wall.scenebus("key", "own").output.trimmingCharacters(in: .newlines)
                let allowed = try await desk.scenebus(
                    "key", "allow", "wall-3", "viewer", key, "--expires", "1d", "--grant", "send=nowhere*")
                #expect(allowed.code == 0, "\(allowed.error)")
                #expect(
                    allowed.error.contains("nothing now that the grant 'send=nowhere*' matches"), "\(allowed.error)")
                let keys = try await desk.scenebus("key", "ls", "--json").json([Listed].self)
                #expect(keys.map(\.name) == ["chief", "wall-3"])
                #expect(keys.map(\.role) == ["administrator", "viewer"])
                #expect(keys[1].expires != nil)
                let own = try await desk.scenebus("key", "revoke", "chief")
                #expect(own.code == 4)
                #expect(own.error.contains("another administrator"), "\(own.error)")
                let revoked = try await desk.scenebus("key", "revoke", "wall-3")
                #expect(revoked.code == 0, "\(revoked.error)")
                #expect(revoked.output.contains("at the host 'wall'"), "\(revoked.output)")
                let audit = try await installation.scenebus("audit")
                for words in ["hostAllowKey", "hostRevokeKey", "chief", "administrator"] {
                    #expect(audit.output.contains(words), "\(audit.output)")
                }
                // The own host of this machine is another one.
                let local = try await desk.scenebus("key", "ls", "--host-name", "default", "--json")
                #expect(local.output == "[]\n")
            }
        }

        @Test("An operator decides about no keys, and is told so")
        func operatorMayNot() async throws {
            try await installation.withHost("--no-store", "--listen", "tcp://127.0.0.1:*") { _ in
                let token = try token(try await installation.scenebus("invite", "--name", "desk", "--role", "operator"))
                #expect(try await desk.join(token, "--context", "wall").code == 0)
                for arguments in [["key", "ls"], ["key", "revoke", "desk"], ["invite", "--name", "wall-3"]] {
                    let outcome = try await desk.run(
                        "\(Installation.executables)/scenebus", arguments + ["--host", "wall"])
                    #expect(outcome.code == 4, "\(arguments): \(outcome.error)")
                    #expect(outcome.error.contains("its role 'operator' does not send it"), "\(outcome.error)")
                }
                let both = try await desk.scenebus("key", "ls", "--host", "wall", "--host-name", "default")
                #expect(both.code == 2, "\(both.error)")
            }
        }

        @Test("A grant that matches nothing is warned of on the host's own machine, if the host runs")
        func unmatchedGrant() async throws {
            let key = String(repeating: "a1", count: 32)
            let allow = ["key", "allow", "desk", "operator", key, "--grant", "send=foo*"]
            let without = try await installation.run("\(Installation.executables)/scenebus", allow)
            #expect(without.code == 0 && without.error.isEmpty, "\(without.error)")
            try await installation.withHost("--no-store", "--listen", "tcp://127.0.0.1:*") { _ in
                let warned = try await installation.run("\(Installation.executables)/scenebus", allow)
                #expect(warned.code == 0, "\(warned.error)")
                #expect(warned.error.contains("the grant 'send=foo*' matches"), "\(warned.error)")
            }
        }
    }
}
