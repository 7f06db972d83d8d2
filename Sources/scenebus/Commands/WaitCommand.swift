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
            "Waits until a host answers and, optionally, until its plugins are attached and its sessions have scenes.",
        discussion: """
            For scripts. Reports on standard error what it waits for if that takes longer than a second. Ends with 3 \
            when --timeout expires, and before that with 1 when waiting is of no use: with --plugins, if the host \
            leaves out a plugin because of its plugin.json; with --sessions, if it holds a session that has crashed \
            its workers.

            EXAMPLE:
              scenebus wait --plugins --sessions --timeout 30
              scenebus wait --scene Wall
            """)
    @OptionGroup var client: ClientOptions
    @Flag(help: "Wait until every plugin is attached.") var plugins = false
    @Option(
        help: ArgumentHelp("Wait until a worker that runs scenes of this name is attached.", valueName: "name"))
    var scene: String?
    @Flag(help: "Wait until at least one session is open and every open session has a scene.") var sessions = false

    /// The time between two polls of the host.
    private static let interval = Duration.milliseconds(50)
    /// The time after which the command reports what it waits for.
    private static let patience = Duration.seconds(1)

    func execute() async throws {
        let end = MonotonicInstant.now + .seconds(client.timeout)
        var said = ""
        var quietUntil = MonotonicInstant.now + Self.patience
        let notYet = LoopTimer { StandardError.write("scenebus: waiting for a host at \(client.endpoint.printable)") }
        notYet.set(for: quietUntil)
        let host: HostClient
        do {
            defer { notYet.cancel() }
            host = try await HostClient(client, connectTimeout: .seconds(client.timeout))
        }
        defer { host.close() }
        let began = MonotonicInstant.now
        // The first look is as thorough as the ones that are reported: a session may be held already.
        var isFirst = true
        while true {
            let isOver = MonotonicInstant.now >= end
            let isSaid = isOver || MonotonicInstant.now >= quietUntil
            guard let missing = try await missing(host, since: began, inWords: isSaid || isFirst, until: end) else {
                return
            }
            isFirst = false
            guard !isOver else {
                throw CommandError(
                    .unreachable,
                    "still waiting after \(client.timeout) s: \(missing); raise --timeout")
            }
            if isSaid {
                quietUntil = .now + Self.patience
                if missing != said { StandardError.write("scenebus: waiting: \(missing.printable)") }
                said = missing
            }
            try await Task.sleep(for: Self.interval)
        }
    }

    /// The shortest timeout of a poll, for the last one before the deadline.
    private static let lastLook = Duration.milliseconds(500)

    /// Describes what is still missing; `nil` when nothing is.
    ///
    /// A lost link does not end the wait: the host may be reachable again before the deadline.
    @MainActor
    private func missing(
        _ host: HostClient, since began: MonotonicInstant, inWords: Bool, until end: MonotonicInstant
    ) async throws -> String? {
        do {
            return try await missing(
                host.chain.within(max(Self.lastLook, end - .now)), since: began, inWords: inWords)
        } catch let error as MessageError where error.isOfAwayHost {
            if let refusal = host.refusal { throw refusal }
            return "the host does not respond (\(error))"
        }
    }

    /// Describes what is still missing; `nil` when nothing is.
    /// - Parameter inWords: whether to look at the sessions, and name one and its problem.
    /// - Throws: ``CommandError`` when waiting is of no use.
    @MainActor
    private func missing(
        _ chain: ResponderChain, since began: MonotonicInstant, inWords: Bool
    ) async throws -> String? {
        if plugins {
            // A problem with a manifest needs a fix and a restart, so there is no point in waiting. Other problems do
            // not affect the plugins.
            if let problems = try await chain.hostStatus().pluginProblems {
                throw CommandError(
                    .failure,
                    "not every plugin can be run: \(problems.joined(separator: "; ")); fix that and restart the host"
                )
            }
            let all = try await chain.hostPlugins()
            let rest = all.filter { $0.state != .attached }
            if !rest.isEmpty {
                return rest.map {
                    "plugin \($0.instance) is \($0.state.rawValue)" + ($0.problem.map { " (\($0))" } ?? "")
                }
                .joined(separator: ", ")
            }
        }
        if let scene {
            let offered = Set(try await chain.hostWorkers().flatMap(\.scenes)).sorted()
            guard offered.contains(scene) else {
                return "no worker is attached that runs '\(scene)'; "
                    + (offered.isEmpty ? "there is none at all" : "there are: \(offered.joined(separator: ", "))")
            }
        }
        if sessions {
            // Polls the counts, which are cheap; asks for the sessions only at first and to name one.
            let status = try await chain.hostStatus()
            guard status.openSessions > 0 else { return "no session is open" }
            let lacking = status.openSessions - status.connectedScenes
            guard lacking > 0 else { return try await unheard(chain, since: began) }
            guard inWords else { return "sessions without a scene: \(lacking)" }
            // A running session can have a problem, too: it cannot leave a worker that is being drained.
            let sessions = try await chain.hostSessions()
            if let held = sessions.first(where: { $0.isHeld == true && $0.state == .waiting }) {
                let problem = held.problem ?? "see 'scenebus sessions retry --help'"
                throw CommandError(.failure, "session \(held.session) is held: \(problem)")
            }
            if let first = sessions.first(where: { $0.problem != nil && $0.state != .running }) {
                return "session \(first.session) has no scene: \(first.problem ?? "it is being placed")"
            }
        }
        return nil
    }

    /// Names a worker with sessions from which the host has heard nothing since the command began; `nil` when there is
    /// none.
    ///
    /// Until a host misses the heartbeats of a worker that was killed, it counts the worker's sessions as running. Each
    /// worker sends a heartbeat at least every second.
    @MainActor
    private func unheard(_ chain: ResponderChain, since began: MonotonicInstant) async throws -> String? {
        // The time before the host measures the silences, so that none seems to have begun later than it has.
        let waited = MonotonicInstant.now - began
        let links = try await chain.hostLinks()
        return links.first { $0.sessions > 0 && .seconds($0.silentSeconds) >= waited }
            .map { "worker \($0.peer) has been silent for a moment" }
    }
}
