import PeerLink
import ArgumentParser
import Bus
import Messaging
import OperatorKit
import ZeroMQ

struct WaitCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract:
            "Waits until a host answers and, if asked, until its plugins are attached and its sessions have scenes.",
        discussion: """
            For scripts. Says on the standard error what it waits for, when that takes longer than a second. Ends with 3 when it \
            is not so within --timeout seconds, and at once with 1 when a plugin is left out because of its plugin.json.

            EXAMPLE:
              scenebus wait --plugins --sessions --timeout 30
            """)
    @OptionGroup var client: ClientOptions
    @Flag(help: "Until every plugin is attached.") var plugins = false
    @Flag(help: "Until every open session has a scene, and there is one.") var sessions = false

    /// Between two looks at the host.
    private static let interval = Duration.milliseconds(50)
    /// After which time it says what it waits for.
    private static let patience = Duration.seconds(1)

    func execute() async throws {
        let end = ContinuousClock.now + .seconds(client.timeout)
        var said = ""
        var quietUntil = ContinuousClock.now + Self.patience
        let notYet = LoopTimer { StandardError.write("scenebus: waiting for a host at \(client.endpoint.printable)") }
        notYet.set(for: quietUntil)
        let host: HostClient
        do {
            defer { notYet.cancel() }
            host = try await HostClient(client, connectTimeout: .seconds(client.timeout))
        }
        defer { host.close() }
        while true {
            let isOver = ContinuousClock.now >= end
            let isSaid = isOver || ContinuousClock.now >= quietUntil
            guard let missing = try await missing(host, inWords: isSaid, until: end) else { return }
            guard !isOver else {
                throw CommandError(.unreachable,
                    "still waiting after \(client.timeout) s: \(missing); allow more with --timeout")
            }
            if isSaid {
                quietUntil = .now + Self.patience
                if missing != said { StandardError.write("scenebus: waiting: \(missing.printable)") }
                said = missing
            }
            try await Task.sleep(for: Self.interval)
        }
    }

    /// How long the last look may take.
    private static let lastLook = Duration.milliseconds(500)

    /// What is not there yet; a host that goes away meanwhile may come back in time.
    @MainActor
    private func missing(
        _ host: HostClient, inWords: Bool, until end: ContinuousClock.Instant
    ) async throws -> String? {
        do {
            return try await missing(host.chain.within(max(Self.lastLook, end - .now)), inWords: inWords)
        } catch let error as MessageError
            where [.peerLost, .timeout, .draining, .overloaded].contains(error.code)
        {
            if let refusal = host.refusal { throw refusal }
            return "the host is away (\(error))"
        }
    }

    /// - Parameter inWords: it is about to be said: which session lacks its scene, and why.
    @MainActor
    private func missing(_ chain: ResponderChain, inWords: Bool) async throws -> String? {
        if plugins {
            // What is wrong with a manifest does not mend itself. What the store cannot do is no matter of plugins.
            let problems = try await chain.hostStatus().problems.filter { !$0.hasPrefix("store: ") }
            guard problems.isEmpty else {
                throw CommandError(.failure,
                    "not every plugin can be run: \(problems.joined(separator: "; ")); mend that, and start the host again"
                )
            }
            let all = try await chain.hostPlugins()
            let rest = all.filter { $0.state != .attached }
            if !rest.isEmpty {
                return rest.map { "plugin \($0.instance) is \($0.state.rawValue)" + ($0.problem.map { " (\($0))" } ?? "") }
                    .joined(separator: ", ")
            }
        }
        if sessions {
            // Counts, for it is asked again and again; the sessions only when it is to be said which lack their scenes.
            let status = try await chain.hostStatus()
            guard status.openSessions > 0 else { return "no session is open" }
            let lacking = status.openSessions - status.connectedScenes
            guard lacking > 0 else { return nil }
            guard inWords else { return "\(lacking) sessions have no scene" }
            // One that runs has a problem when it cannot leave a worker that is drained.
            let sessions = try await chain.hostSessions()
            if let first = sessions.first(where: { $0.problem != nil && $0.state != .running }) {
                return "session \(first.session) has no scene: \(first.problem ?? "it is being placed")"
            }
        }
        return nil
    }
}
