import Access
import ArgumentParser
import Bus
import Foundation
import OperatorKit
import PeerLink
import SceneHost
import ZeroMQ

struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Shows and replaces this machine's keys, and decides which keys a host allows.",
        discussion: """
            A host that listens on TCP lets in only the keys of its list, a text file of a line each. For a host of this \
            machine, these commands edit the file; a running host reads it anew within a second. They need no host then. For a \
            host of another machine, they ask the host, and this machine's key there must have the role 'administrator'.

            ROLE is one of:
              worker      runs scenes, and acts for their sessions
              plugin      adds responders, services and entries
              monitor     reads what the host tells about itself, and the traffic
              viewer      reads what the host tells about itself, and what scenes show
              operator    also acts, and sends the application's messages
              administrator  also decides which keys the host allows
            """,
        subcommands: [List.self, Show.self, Own.self, Allow.self, Revoke.self, Rotate.self])

    struct List: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "Lists the keys that a host allows.")
        @OptionGroup var host: KeyHostOptions
        @OptionGroup var watching: WatchOptions
        @Flag(help: "Print JSON.") var json = false

        func execute() async throws {
            try await host.withKeys { allowed in
                try await watching.show(from: allowed.client, asJSON: json) {
                    let (keys, problems) = try await allowed.list()
                    var listing = try Self.listing(of: keys, at: allowed.name)
                    listing.warnings = problems
                    return listing
                }
            }
        }

        private static func listing(of keys: [KeyStatus], at host: String) throws -> TableListing {
            let now = Date().timeIntervalSince1970
            var table = Table("NAME", "ROLE", "KEY", "GRANTS", "EXPIRES")
            for key in keys {
                let role = key.invites.map { "invitation (\($0))" } ?? key.role
                let expires = key.expires.map { text($0) } ?? "-"
                table.add(
                    key.name, role, String(key.key.prefix(8)),
                    key.grants.isEmpty ? "-" : key.grants.joined(separator: " "),
                    key.expires.map { $0 <= now } ?? false ? "\(expires) (over)" : expires,
                    note: note(key, at: now))
            }
            return try TableListing(
                table,
                whenEmpty: "the host '\(host)' allows no key; 'scenebus invite' and 'scenebus key allow' change that",
                json: keys.map(ShownKey.init))
        }

        private static func note(_ key: KeyStatus, at now: Double) -> String? {
            guard let old = key.oldKey, let until = key.oldUntil, until > now else { return key.comment }
            let rotated = "the key before, \(old.prefix(8)), is valid until \(text(until))"
            return key.comment.map { "\($0); \(rotated)" } ?? rotated
        }

        fileprivate static func text(_ time: Double) -> String {
            Date(timeIntervalSince1970: time).formatted(.iso8601)
        }
    }

    struct Show: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Prints the public key of a host of this machine, by which others know it.")
        @OptionGroup var host: LocalKeyHostOptions

        func execute() async throws {
            let folder = try KeyFolder()
            let key = try folder.keyOrNew(in: folder.keyFile(of: host.hostName)).keys.publicKey
            guard let next = try NextHostKey(of: host.hostName, in: folder) else { return printLine("\(key)") }
            guard next.from > Date() else { return printLine("\(next.keys.publicKey)") }
            printLine("\(key)")
            StandardError.write("from \(next.from.formatted(.iso8601)) on: \(next.keys.publicKey)")
        }
    }

    struct Own: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "own", abstract: "Prints the public key of this machine's workers, plugins and commands.")

        func execute() async throws {
            let folder = try KeyFolder()
            printLine("\(try folder.keyOrNew(in: folder.ownKeyFile).keys.publicKey)")
        }
    }

    struct Allow: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "allow", abstract: "Allows a key, or changes what it may do.",
            discussion: """
                The peers with the key have its name, or names that begin with it and a '-'.

                A grant narrows the role: of each kind that is granted at all, nothing else is allowed. The kinds are \
                send (messages), handle (messages and services), provide (entries) and offer (scene configurations).

                EXAMPLES:
                  scenebus key allow wall-3 worker \(KeyCommand.example)
                  scenebus key allow desk operator \(KeyCommand.example) --expires 30d
                  scenebus key allow mail plugin \(KeyCommand.example) --grant 'handle=mail*' --grant 'send=account*'
                """)
        @OptionGroup var host: KeyHostOptions
        @Argument(help: "The name.") var name: String
        @Argument(help: "The role.") var role: String
        @Argument(help: "The public key: 64 hexadecimal digits, which 'scenebus key own' prints.") var key: String
        @OptionGroup var rights: KeyRightsOptions

        func execute() async throws {
            // A line is read as one of the file is, so that it says the same of what is wrong.
            let entry = try rights.entry(name: name, role: role, key: key)
            guard entry.role != .invitation else {
                throw CommandError(.usage, "'scenebus invite' makes an invitation")
            }
            let end = try rights.expires.map { try KeyEnd($0) }
            try await host.withKeys { keys in
                _ = try await keys.allow(entry, until: end)
                printLine("'\(name)' is allowed as \(role) at the host '\(keys.name)'")
                await keys.warn(of: entry.grants)
            }
        }
    }

    struct Revoke: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Removes a key or an invitation. Its links end within a second.")
        @OptionGroup var host: KeyHostOptions
        @Argument(help: "The name, or the beginning of the key, of at least 8 digits.") var key: String

        /// An invitation stays valid until it is revoked, and the host would keep in its audit what was asked of it.
        private var invitationRefusal: CommandError {
            let name = (try? InvitationToken(key))?.name ?? "NAME"
            return CommandError(
                .usage,
                "this is an invitation, which whoever has read it can use, and every user of this machine can read a command's "
                    + "arguments; nothing was sent. Revoke it by its name: scenebus key revoke \(name)")
        }

        func execute() async throws {
            guard !InvitationToken.begins(key) else { throw invitationRefusal }
            try await host.withKeys { keys in
                let removed = try await keys.revoke(key)
                printLine("'\(removed)' is not allowed any more at the host '\(keys.name)'")
            }
        }
    }

    static let example = "a3f1…"
}

/// What a key may do, and for how long.
struct KeyRightsOptions: ParsableArguments {
    @Option(help: "What the key may do, such as send=account*; once for each grant.") var grant: [String] = []
    @Option(help: "When it stops being valid: a time such as 2027-01-31T18:00:00Z, or a span such as 45m, 12h or 30d.")
    var expires: String?
    @Option(help: "A note, for people.") var comment: String?

    init() {}

    init(grant: [String]) { (self.grant, expires, comment) = (grant, nil, nil) }

    /// Reads a line of the list from its parts, without its end.
    func entry(name: String, role: String, key: String, invites: String? = nil) throws -> KeyEntry {
        do throws(KeyEntry.Invalid) {
            return try KeyEntry(
                name: name, role: role, key: key, invites: invites, grants: grant, comment: comment)
        } catch {
            throw CommandError(.usage, error.reason)
        }
    }
}

/// A key as `--json` shows it.
private struct ShownKey: Encodable {
    let name: String
    let role: String
    let invites: String?
    let key: String
    let oldKey: String?
    let oldKeyUntil: String?
    let grants: [String]
    let added: String?
    let expires: String?
    let comment: String?

    init(_ status: KeyStatus) {
        (name, role, invites, key) = (status.name, status.role, status.invites, status.key)
        (oldKey, grants, comment) = (status.oldKey, status.grants, status.comment)
        oldKeyUntil = status.oldUntil.map { KeyCommand.List.text($0) }
        added = status.added.map { KeyCommand.List.text($0) }
        expires = status.expires.map { KeyCommand.List.text($0) }
    }
}
