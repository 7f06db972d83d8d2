#if Console
    import Bus
    import ConsolePages
    import Messaging
    import Monotonic
    import SceneContent

    /// What the page at the start shows. The host is asked when somebody looks, and at most once in a second.
    @MainActor
    final class Overview {
        private static let lifetime = Duration.seconds(1)
        private static let timeout = Duration.seconds(3)
        /// The number of sessions that are listed.
        private static let maximumSessions = 500

        private let chain: @MainActor () -> ResponderChain
        private var page: SessionsPage?
        private var asked: MonotonicInstant?
        private var asking: Task<Void, Never>?
        /// Since when the host has not answered, in seconds since 1970; `nil` while it does.
        private var awaySince: Double?

        init(over chain: @escaping @MainActor () -> ResponderChain) { self.chain = chain }

        /// Returns the newest list; while the host is away, the last one, and since when.
        func current() async -> SessionsPage {
            let isFresh = asked.map { .now - $0 < Self.lifetime } ?? false
            if asking == nil, !isFresh { asking = Task { await ask() } }
            // Nobody waits for a host that is known to be away.
            if awaySince == nil { await asking?.value }
            var shown = page ?? SessionsPage(sessions: [], placeholder: "The host has not answered yet.")
            if let awaySince {
                shown.problem = "The host is away since \(Quantity.time(awaySince).text). The list is an older one."
            }
            return shown
        }

        private func ask() async {
            defer {
                asked = .now
                asking = nil
            }
            do {
                let chain = chain().within(Self.timeout)
                let status = try await chain.hostStatus()
                let sessions = try await chain.hostSessions(worker: nil, after: nil, limit: Self.maximumSessions)
                page = SessionsPage(
                    status: status, sessions: sessions.sessions, workers: try await chain.hostWorkers(),
                    plugins: try await chain.hostPlugins())
                awaySince = nil
            } catch {
                if awaySince == nil { awaySince = ConsoleClock.now }
            }
        }
    }

    extension SessionsPage {
        fileprivate init(
            status: HostStatus, sessions: [SessionStatus], workers: [WorkerStatus], plugins: [PluginStatus]
        ) {
            let left = status.openSessions - sessions.count
            self.init(
                sessions: sessions.map { session in
                    Session(
                        id: session.session, configuration: session.configuration, state: session.state.rawValue,
                        isLive: session.state == .running, problem: session.problem, worker: session.worker)
                },
                placeholder: "No session is open. Open one with: scenebus sessions open",
                parts: [
                    Part("Problems", table: Self.problems(status)), Part("Workers", table: Self.table(workers)),
                    Part("Plugins", table: Self.table(plugins)),
                ],
                problem: left > 0 ? "\(left) more sessions are open. 'scenebus sessions ls' lists them all." : nil)
        }

        private static func problems(_ status: HostStatus) -> TableBlock {
            TableBlock(
                [.init("Problem")],
                rows: status.problems.prefix(ContentBounds.rows).enumerated().map { number, problem in
                    .init(key: "\(number)", cells: [.text(problem)])
                },
                placeholder: "The host has no problem.", total: status.problems.count)
        }

        private static func table(_ workers: [WorkerStatus]) -> TableBlock {
            TableBlock(
                [
                    .init("Worker"), .init("Process", isTrailing: true), .init("Scenes"),
                    .init("Sessions", isTrailing: true),
                ],
                rows: workers.prefix(ContentBounds.rows).map { worker in
                    .init(
                        key: worker.worker,
                        cells: [
                            .text(worker.worker), .text("\(worker.pid)"), .text(worker.scenes.joined(separator: ", ")),
                            .text("\(worker.sessions) of \(worker.capacity)" + (worker.isDraining ? ", draining" : "")),
                        ])
                }, placeholder: "No worker is attached.", total: workers.count)
        }

        private static func table(_ plugins: [PluginStatus]) -> TableBlock {
            TableBlock(
                [.init("Plugin"), .init("State"), .init("Restarts", isTrailing: true), .init("Problem")],
                rows: plugins.prefix(ContentBounds.rows).map { plugin in
                    .init(
                        key: plugin.instance,
                        cells: [
                            .text(plugin.instance), .text(plugin.state.rawValue), .count(plugin.restarts),
                            .text(plugin.problem ?? ""),
                        ])
                }, placeholder: "The host starts no plugins.", total: plugins.count)
        }
    }
#endif
