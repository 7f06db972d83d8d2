import Access
import ArgumentParser
import Bus
import Foundation
import Glibc
import Messaging
import OperatorKit
import PeerLink
import ZeroMQ

struct JoinCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Joins a host of another machine, with an invitation that it has made.",
        discussion: """
            The command makes this machine's key, hands it in at the host, and makes a context for the host. It then attaches \
            with the key, and checks that both ports of the host can be reached.

            It asks for the invitation, which 'scenebus invite' prints on the host, and does not show what is typed. Without \
            a terminal, it reads the invitation from the standard input.

            EXAMPLES:
              scenebus join
              scenebus join --context wall < invitation
            """)
    // Named here only so that the parser does not print what it does not expect.
    @Argument(help: .hidden) var invitation: [String] = []
    @Option(help: "The name of the context. Default: the host's name.") var context: String?
    @Option(help: "Seconds to wait for each of the host's addresses.") var timeout = 5.0

    func execute() async throws {
        try refuseArgument()
        if let context { _ = try BusName(context) }
        let token = try self.token()
        guard token.expires > Date() else {
            throw CommandError(
                .refused,
                "the invitation expired at \(token.expires.formatted(.iso8601)); make a new one on the host. If it is new, this "
                    + "machine's clock (\(Date().formatted(.iso8601))) is wrong")
        }
        let folder = try KeyFolder()
        let (own, _) = try folder.keyOrNew(in: folder.ownKeyFile)
        var contexts = try folder.contexts()
        let joined = try await handIn(own, with: token) { host in
            let name = self.context ?? host
            // Before the invitation is used up.
            if let other = contexts[name], other.key != token.host {
                throw CommandError(
                    .refused, "there is a context '\(name)' for another host; choose another name with --context")
            }
            return name
        }
        let made = HostContext(name: joined.context, address: joined.address, key: token.host, ownName: joined.name)
        contexts.set(made)
        do {
            try folder.save(contexts)
        } catch {
            throw CommandError(
                .failure,
                "the host has this machine's key, but the context cannot be saved: \(error); then run: scenebus context add "
                    + "\(made.name) \(made.address) \(made.key) --as \(made.ownName)")
        }
        printLine("joined the host at \(made.address) as '\(made.ownName)', in the role '\(joined.role)'")
        try await check(made, own, role: joined.role)
        printLine(nextStep(made, role: joined.role))
    }

    private func token() throws -> InvitationToken {
        let text =
            isatty(STDIN_FILENO) == 1
            ? try TerminalPrompt.ask(for: "invitation", otherWay: "pass it on standard input") : Self.standardInput()
        do throws(InvitationToken.Invalid) {
            return try InvitationToken(text)
        } catch {
            throw CommandError(.usage, error.description)
        }
    }

    /// Refuses an invitation whose text is an argument, as other secrets are.
    private func refuseArgument() throws {
        guard !invitation.isEmpty else { return }
        throw CommandError(
            .usage,
            """
            an invitation is a secret, and every user of this machine can read a command's arguments; nothing was sent
            run 'scenebus join' and paste the invitation when it is asked for, or pass it on standard input
            if it was a real one, revoke it on the host and make another: it may also be in the shell's history
            """)
    }

    /// The first line of the standard input that has something in it.
    private static func standardInput() -> String {
        while let line = readLine() {
            if line.contains(where: { !$0.isWhitespace }) { return line }
        }
        return ""
    }

    private struct Joined {
        let context: String
        let address: String
        let name: String
        let role: String
    }

    private var options: ClientOptions {
        ClientOptions(timeout: timeout)
    }

    /// Hands in the key at the first address at which the host accepts the invitation.
    /// - Parameter contextName: returns the name of the context for the host of a name.
    @MainActor
    private func handIn(
        _ own: KeyPair, with token: InvitationToken, contextName: (_ host: String) throws -> String
    ) async throws -> Joined {
        var failure: any Error = CommandError(.unreachable, "the invitation has no address")
        for address in token.addresses {
            let invited = HostContext(name: "invitation", address: address, key: token.host, ownName: token.name)
            let host: HostClient
            do {
                host = try await HostClient(
                    options, at: HostReference(invited, keys: token.keys), connectTimeout: .seconds(timeout))
            } catch let error as CommandError where error.code == .unreachable {
                failure = error
                continue
            } catch is HandshakeFailed {
                // Another host, or another program, may answer at an address of this machine's own. The error's own advice is
                // left out: it is to allow the key, and here that is the invitation's.
                failure = CommandError(
                    .refused,
                    "the host at \(address) does not accept the invitation: it was used, withdrawn or has expired there, or "
                        + "the host has another key by now, or something else answers at the address; make a new one with "
                        + "'scenebus invite' on the host. If many handshakes from this address have just failed, it may be "
                        + "enough to try again in half a minute")
                continue
            }
            defer { host.close() }
            // The name comes from the host, and becomes a word of a file.
            let name = try contextName(try BusName(host.welcome.host).text)
            let enrollment: Enrollment
            do {
                enrollment = try await host.chain.hostEnroll(key: "\(own.publicKey)")
            } catch let error as MessageError where error.mayHaveBeenHandled {
                throw CommandError(
                    .unreachable,
                    "\(error); the host may have this machine's key all the same. Then run: scenebus context add \(name) "
                        + "\(address) \(token.host) --as \(token.name)")
            }
            return Joined(
                context: name, address: address, name: try BusName(enrollment.name).text, role: enrollment.role)
        }
        throw failure
    }

    /// Attaches with the machine's key, first over the bus alone, and then with the publisher.
    @MainActor
    private func check(_ context: HostContext, _ own: KeyPair, role: String) async throws {
        let peerRole = KeyRole(rawValue: role)?.peerRoles.sorted { $0.rawValue < $1.rawValue }.last ?? .operator
        for (synchronizes, port) in [
            (false, "the port of \(context.address)"), (true, "the next port, of its publisher,"),
        ] {
            do {
                let host = try await HostClient(
                    options, at: HostReference(context, keys: own), role: peerRole, synchronizes: synchronizes,
                    connectTimeout: .seconds(timeout))
                host.close()
            } catch {
                throw CommandError(
                    .unreachable,
                    "joined, but \(port) cannot be used: \(CommandError(error).message); open it in the firewall, and try "
                        + "'scenebus status --host \(context.name)'")
            }
        }
    }

    private func nextStep(_ context: HostContext, role: String) -> String {
        switch KeyRole(rawValue: role) {
        case .worker: "run a worker here with: WORKER --host \(context.name)"
        case .plugin: "run a plugin here with: PLUGIN --host \(context.name)"
        case .monitor: "watch its traffic with: scenebus monitor --host \(context.name)"
        case .viewer, .operator, .administrator, .invitation, nil: "try: scenebus status --host \(context.name)"
        }
    }
}
