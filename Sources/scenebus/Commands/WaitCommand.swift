import ArgumentParser
import Bus
import CoordinatorKit

struct WaitCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract:
            "Waits until a host answers and, if asked, until its plugins are attached and its sessions have scenes.",
        discussion: """
            For scripts. Ends with 3 when that is not so within --timeout seconds, and says what is missing.

            EXAMPLE:
              scenebus wait --plugins --sessions --timeout 30
            """)
    @OptionGroup var client: ClientOptions
    @Flag(help: "Until every plugin is attached.") var plugins = false
    @Flag(help: "Until every open session has a scene, and there is one.") var sessions = false

    /// Between two looks at the host.
    private static let interval = Duration.milliseconds(50)

    func execute() async throws {
        let end = ContinuousClock.now + .seconds(client.timeout)
        let host = try await HostClient(client, connectTimeout: .seconds(client.timeout))
        defer { host.close() }
        while let missing = try await missing(host) {
            guard ContinuousClock.now < end else {
                throw CommandError(
                    CommandError.unreachable,
                    "still waiting after \(client.timeout) s: \(missing); allow more with --timeout")
            }
            try await Task.sleep(for: Self.interval)
        }
    }

    @MainActor
    private func missing(_ host: HostClient) async throws -> String? {
        if plugins {
            let all = try await host.chain.hostPlugins()
            let rest = all.filter { $0.state != "attached" }
            if !rest.isEmpty {
                return rest.map { "plugin \($0.instance) is \($0.state)" + ($0.problem.map { " (\($0))" } ?? "") }
                    .joined(separator: ", ")
            }
        }
        if sessions {
            let all = try await host.chain.hostSessions()
            guard !all.isEmpty else { return "no session is open" }
            if let first = all.first(where: { $0.problem != nil || $0.worker == nil }) {
                return "session \(first.session) has no scene: \(first.problem ?? "it is being placed")"
            }
        }
        return nil
    }
}
