import ArgumentParser
import Bus
import Foundation
import Messaging
import OperatorKit
import PeerLink
import SceneHost
import ZeroMQ

extension KeyCommand {
    struct Rotate: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Replaces this machine's key at the hosts of all contexts, or a host's own key.",
            discussion: """
                The command makes a new key, hands it in at each host with the old one, and replaces the old one here when all \
                hosts have the new one. They accept both for a while. Processes that run use the new key when they attach anew. \
                Those that still use the old one at its end do so then, within a moment, and keep their scenes.

                When a host cannot be told, nothing is replaced. Processes of this machine use the key that a host knows. Run \
                the command again when the host can be reached.

                With --host-key, it makes the next key of a host of this machine, which need not run. The host tells its peers, and \
                begins to use the key after the time of --keep, while it runs or at its next start. Its links stay. A machine that \
                has not attached in this time does not know the new key, and joins anew.

                EXAMPLES:
                  scenebus key rotate
                  scenebus key rotate --host-key --keep 14d
                  scenebus key rotate --keep 1d
                  scenebus key rotate --without wall
                """)
        @Flag(help: "Replace the key of a host of this machine.") var hostKey = false
        @OptionGroup var host: LocalKeyHostOptions
        @Option(
            help: """
                For how long the old key is in use: a span such as 1h or 7d, up to 30 days for this machine's key. Default: 1h, and \
                7d with --host-key.
                """)
        var keep: String?
        @Option(help: "A context whose host is not told, because it is gone; once for each.") var without: [String] = []
        @Option(help: "Seconds to wait for each host.") var timeout = 5.0
        @Flag(help: "Print JSON.") var json = false

        func validate() throws {
            if hostKey, !without.isEmpty {
                throw ValidationError("--without is for this machine's key, not for a host's")
            }
        }

        func execute() async throws {
            if hostKey { try replaceHostKey() } else { try await replaceOwnKey() }
        }

        private func replaceHostKey() throws {
            guard let span = TimeSpan(keep ?? "7d") else {
                throw CommandError(.usage, "'\(keep ?? "")' is no span such as 12h or 7d")
            }
            let folder = try KeyFolder()
            try folder.make()
            // There must be one to be replaced.
            _ = try folder.keyOrNew(in: folder.keyFile(of: host.hostName))
            let (next, isNew) = try NextHostKey.make(
                of: host.hostName, in: folder, from: Date().addingTimeInterval(span.seconds))
            let from = next.from.formatted(.iso8601)
            if json { return try printJSON(["key": "\(next.keys.publicKey)", "from": from]) }
            guard isNew else {
                throw CommandError(
                    .refused,
                    "the key of the host '\(host.hostName)' is being replaced already, from \(from) on; to call it off, or to change "
                        + "the time, remove or edit \(folder.nextKeyFile(of: host.hostName))")
            }
            printLine(
                "the host '\(host.hostName)' has the key \(next.keys.publicKey) from \(from) on, and tells its peers until then"
            )
        }

        private func replaceOwnKey() async throws {
            let rotation = OwnKeyRotation(
                folder: try KeyFolder(), keep: try Self.seconds(keep ?? "1h"), timeout: timeout)
            let (told, left) = try contexts(of: rotation.folder)
            let keys = try rotation.begin()
            var outcomes: [OwnKeyRotation.Outcome] = []
            for context in told {
                let outcome = await rotation.tell(context, keys)
                outcomes.append(outcome)
                if !json { printLine(outcome.line) }
            }
            let failures = outcomes.compactMap(\.failure)
            if failures.isEmpty { try rotation.finish(keys) }
            if json {
                try printJSON(ShownRotation(key: "\(keys.next.publicKey)", isReplaced: failures.isEmpty, outcomes))
            }
            if let first = failures.first { throw Self.unfinished(first, outcomes) }
            guard !json else { return }
            printLine("this machine's key is \(keys.next.publicKey) now")
            for context in left {
                printLine(
                    "the host of '\(context.name)' does not know it: on that host, run 'scenebus key allow "
                        + "\(context.ownName) ROLE \(keys.next.publicKey)'")
            }
        }

        /// The contexts whose hosts are told, and the others.
        private func contexts(of folder: KeyFolder) throws -> (told: [HostContext], left: [HostContext]) {
            let contexts = try folder.contexts().contexts
            if let unknown = without.first(where: { name in !contexts.contains { $0.name == name } }) {
                throw CommandError(.usage, "there is no context '\(unknown)'; see 'scenebus context ls'")
            }
            guard !contexts.isEmpty else {
                throw CommandError(
                    .refused,
                    "there is no context, so no host is known that has this machine's key; remove \(folder.ownKeyFile) to have "
                        + "a new one made")
            }
            let left = contexts.filter { without.contains($0.name) }
            return (contexts.filter { !without.contains($0.name) }, left)
        }

        private static func unfinished(_ first: CommandError, _ outcomes: [OwnKeyRotation.Outcome]) -> CommandError {
            let names = outcomes.filter { $0.failure != nil }.map(\.context)
            let all = names.map { "'\($0)'" }.joined(separator: ", ")
            return CommandError(
                first.code,
                "this machine's key is not replaced, because the hosts of \(names.count) of \(outcomes.count) contexts do not have "
                    + "the new one: \(all). Nothing is lost: its processes use the key that a host knows. Run 'scenebus key "
                    + "rotate' again when they can be reached, or leave out those that are gone with "
                    + names.map { "--without \($0)" }.joined(separator: " "))
        }

        /// Reads a span.
        static func seconds(_ text: String) throws -> Double {
            guard let span = TimeSpan(text), span.seconds <= 30 * 86_400 else {
                throw CommandError(.usage, "'\(text)' is no span of up to 30 days, such as 1h or 7d")
            }
            return span.seconds
        }
    }
}

/// A rotation as `--json` shows it.
private struct ShownRotation: Encodable {
    struct Host: Encodable {
        let context: String
        /// Until when the host accepts the old key.
        let until: String?
        let problem: String?
    }
    let key: String
    let isReplaced: Bool
    let hosts: [Host]

    init(key: String, isReplaced: Bool, _ outcomes: [OwnKeyRotation.Outcome]) {
        (self.key, self.isReplaced) = (key, isReplaced)
        hosts = outcomes.map {
            Host(context: $0.context, until: $0.until?.formatted(.iso8601), problem: $0.failure?.message)
        }
    }
}
