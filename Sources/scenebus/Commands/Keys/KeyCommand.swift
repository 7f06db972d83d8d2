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
        abstract: "Shows this machine's keys, and decides which keys a host of this machine allows.",
        discussion: """
            A host that listens on TCP lets in only the keys of its list, a text file of a line each. These commands edit the \
            file; a running host reads it anew within a second. They need no host.

            ROLE is one of:
              worker      runs scenes, and acts for their sessions
              plugin      adds responders, services and entries
              monitor     reads what the host tells about itself, and the traffic
              viewer      reads what the host tells about itself, and what scenes show
              operator    also acts, and sends the application's messages
            """,
        subcommands: [List.self, Show.self, Own.self, Allow.self, Revoke.self])

    struct List: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "Lists the keys that a host allows.")
        @OptionGroup var host: KeyHostOptions
        @Flag(help: "Print JSON.") var json = false

        func execute() async throws {
            let list = try host.file().read()
            if json { return try printJSON(list.entries.map(ShownKey.init)) }
            let now = Date()
            if list.entries.isEmpty {
                printLine(
                    "the host '\(host.hostName)' allows no key; 'scenebus invite' and 'scenebus key allow' change that")
            } else {
                var table = Table("NAME", "ROLE", "KEY", "GRANTS", "EXPIRES")
                for entry in list.entries {
                    let role = entry.invites.map { "invitation (\($0.rawValue))" } ?? entry.role.rawValue
                    let expires = entry.expires.map { $0.formatted(.iso8601) } ?? "-"
                    table.add(
                        entry.name, role, entry.key.beginning,
                        entry.grants.texts.isEmpty ? "-" : entry.grants.texts.joined(separator: " "),
                        entry.isExpired(at: now) ? "\(expires) (over)" : expires, note: entry.comment)
                }
                table.print()
            }
            for problem in list.problems {
                StandardError.write("scenebus: \(try host.file().path), \(problem)".printable)
            }
        }
    }

    struct Show: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Prints the public key of a host of this machine, by which others know it.")
        @OptionGroup var host: KeyHostOptions

        func execute() async throws {
            let folder = try KeyFolder()
            printLine("\(try folder.keyOrNew(in: folder.keyFile(of: host.hostName)).keys.publicKey)")
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
            var entry = try rights.entry(name: name, role: role, key: key)
            guard entry.role != .invitation else {
                throw CommandError(.usage, "'scenebus invite' makes an invitation")
            }
            entry.added = Date()
            try host.edit { list in try list.set(entry) }
            printLine("'\(name)' is allowed as \(role) at the host '\(host.hostName)'")
        }
    }

    struct Revoke: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Removes a key or an invitation. Its links end within a second.")
        @OptionGroup var host: KeyHostOptions
        @Argument(help: "The name, or the beginning of the key, of at least 8 digits.") var key: String

        func execute() async throws {
            let removed = try host.edit { $0.remove(key) }
            guard let removed else {
                throw CommandError(.refused, "no key, or more than one, matches '\(key)'; see 'scenebus key ls'")
            }
            printLine("'\(removed)' is not allowed any more at the host '\(host.hostName)'")
        }
    }

    static let example = "a3f1…"
}

/// The host of this machine whose keys are meant.
struct KeyHostOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The name of the host on this machine.", valueName: "name"), transform: { try BusName($0) })
    var hostName = BusName.default

    func file() throws -> KeyListFile { KeyListFile(try KeyFolder().listFile(of: hostName)) }

    /// Changes the list of keys.
    func edit<Result>(_ change: (inout KeyList) throws -> Result) throws -> Result {
        try KeyFolder().make()
        do {
            return try file().edit(change)
        } catch let error as KeyEntry.Invalid {
            throw CommandError(.usage, error.reason)
        }
    }
}

/// What a key may do, and for how long.
struct KeyRightsOptions: ParsableArguments {
    @Option(help: "What the key may do, such as send=account*; once for each grant.") var grant: [String] = []
    @Option(help: "When it stops being valid: a time such as 2027-01-31T18:00:00Z, or a span such as 45m, 12h or 30d.")
    var expires: String?
    @Option(help: "A note, for people.") var comment: String?

    init() {}

    init(grant: [String]) { (self.grant, expires, comment) = (grant, nil, nil) }

    /// Reads a line of the list from its parts.
    func entry(name: String, role: String, key: String) throws -> KeyEntry {
        do {
            for part in [name, role, key] + grant where part.contains(where: { $0.isWhitespace || $0 == "#" }) {
                throw CommandError(.usage, "'\(part)' has a space or a '#', which no part of a line may have")
            }
            var entry = try KeyEntry(line: ([name, role, key] + grant).joined(separator: " "))
            entry.expires = try expires.map { try Self.time($0, after: Date()) }
            if let comment, comment.contains(where: \.isNewline) {
                throw CommandError(.usage, "a comment is one line")
            }
            entry.comment = comment
            return entry
        } catch let error as KeyEntry.Invalid {
            throw CommandError(.usage, error.reason)
        }
    }

    /// Reads a time, or a span from now on.
    static func time(_ text: String, after now: Date) throws -> Date {
        let date = try TimeSpan.time(text, .after, now)
        guard date > now else { throw CommandError(.usage, "\(text) is over") }
        return date
    }
}

/// A key as `--json` shows it.
private struct ShownKey: Encodable {
    let name: String
    let role: String
    let invites: String?
    let key: String
    let grants: [String]
    let added: String?
    let expires: String?
    let comment: String?

    init(_ entry: KeyEntry) {
        name = entry.name
        role = entry.role.rawValue
        invites = entry.invites?.rawValue
        key = "\(entry.key)"
        grants = entry.grants.texts
        added = entry.added?.formatted(.iso8601)
        expires = entry.expires?.formatted(.iso8601)
        comment = entry.comment
    }
}
