#if Console
    import Bus
    import CBOR
    import ConsolePages
    import Messaging
    import SceneContent

    /// What the host has said of the application, as the tables of pages have it.
    struct ApplicationState {
        var host: [ThingFact] = []
        var sessions: [SessionStatus] = []
        var workers: [WorkerStatus] = []
        var plugins: [PluginStatus] = []
        /// In the order of ``ListQuery/Part``.
        var tables: [ThingTable] = []

        /// The table of a part.
        subscript(part: ListQuery.Part) -> ThingTable? { tables.first { $0.part == part } }

        init() {
            tables = [
                ThingTable(.problems, [], rows: [], placeholder: "No problem."),
                .sessions([], remark: nil), .workers([]), .plugins([]),
                .entries([], placeholder: "The host has not answered yet.", remark: nil),
            ]
        }

        init(
            status: HostStatus, sessions: [SessionStatus], workers: [WorkerStatus], plugins: [PluginStatus],
            entries: ThingTable
        ) {
            let sessions = sessions.sortedNaturally(by: \.session)
            let workers = workers.sortedNaturally(by: \.worker)
            let plugins = plugins.sortedNaturally(by: \.instance)
            self.sessions = sessions
            self.workers = workers
            self.plugins = plugins
            host = .host(status)
            let left = status.openSessions - sessions.count
            tables = [
                .problems(status, sessions, plugins),
                .sessions(
                    sessions,
                    remark: left > 0 ? "\(left) more are open. 'scenebus sessions ls' lists them all." : nil),
                .workers(workers), .plugins(plugins), entries,
            ]
        }
    }

    extension [ThingFact] {
        fileprivate static func host(_ status: HostStatus) -> [ThingFact] {
            [
                ThingFact("Host", .text(status.name)),
                // It stays the same, where the time since then would change with each look.
                ThingFact("Runs since", .time(status.time.map { ($0 - status.uptimeSeconds).rounded() })),
                ThingFact("Open sessions", .count(status.openSessions)),
                ThingFact("Scenes that run", .count(status.connectedScenes)),
                ThingFact("Attached processes", .count(status.linkCount)),
                ThingFact("Process", .text("\(status.pid)")),
            ]
        }
    }

    extension SessionStatus {
        var level: ThingTable.Cell.Level {
            if isHeld == true { return .error }
            return state == .running ? .good : .warning
        }

        /// Where it stands in lists: those that nobody can use do not take the places of others.
        var rank: Int {
            switch state {
            case .running, .connecting, .moving, .resuming: 0
            case .cutOff, .withdrawing: 1
            case .waiting: isHeld == true ? 3 : 2
            }
        }

        /// What to do about its problem.
        var wayOut: String {
            isHeld == true
                ? "See what its workers have printed with 'scenebus logs', then: scenebus sessions retry \(session)"
                : "The host tries again by itself. To see more: scenebus sessions show \(session)"
        }
    }

    extension PluginStatus {
        var level: ThingTable.Cell.Level {
            switch state {
            case .attached: .good
            case .starting, .ending, .ended: .warning
            case .hung, .waiting, .failed: .error
            }
        }
    }

    extension ThingTable {
        fileprivate static func problems(
            _ status: HostStatus, _ sessions: [SessionStatus], _ plugins: [PluginStatus]
        ) -> ThingTable {
            var rows: [Row] = []
            for problem in status.problems {
                rows.append(
                    Row(
                        "host~\(problem)",
                        [Cell("Host", link: PagePath.application + "#host"), Cell(.text(problem)), Cell("")]))
            }
            for plugin in plugins {
                guard let problem = plugin.problem else { continue }
                rows.append(
                    Row(
                        "plugin~\(plugin.instance)",
                        [
                            Cell(.text(plugin.instance), link: PagePath.plugin(plugin.instance)), Cell(.text(problem)),
                            Cell(.text("See what it has printed: scenebus logs \(plugin.instance)")),
                        ]))
            }
            for session in sessions {
                guard let problem = session.problem else { continue }
                rows.append(
                    Row(
                        "session~\(session.session)",
                        [
                            Cell(.text(session.session), link: PagePath.session(session.session)),
                            Cell(.text(problem)), Cell(.text(session.wayOut)),
                        ]))
            }
            return ThingTable(
                .problems, [.init("of", "Of"), .init("problem", "Problem"), .init("do", "What to do")], rows: rows,
                placeholder: "No problem.")
        }

        static func sessions(_ sessions: [SessionStatus], remark: String?) -> ThingTable {
            ThingTable(
                .sessions,
                [
                    .init("name", "Session"), .init("configuration", "Configuration"), .init("worker", "Worker"),
                    .init("state", "State"),
                ],
                rows: sessions.map { session in
                    Row(
                        session.session,
                        [
                            Cell(.text(session.session), link: SceneAddress.scene(session.session).path),
                            Cell(.text(session.configuration)),
                            Cell(.text(session.worker ?? "–"), link: session.worker.map(PagePath.worker)),
                            Cell(
                                .text(session.isHeld == true ? "held" : session.state.rawValue),
                                link: PagePath.session(session.session), level: session.level,
                                label: "\(session.session): \(session.state.rawValue)"),
                        ], rank: session.rank)
                }, placeholder: "No session is open. Open one with: scenebus sessions open", remark: remark)
        }

        static func workers(_ workers: [WorkerStatus]) -> ThingTable {
            ThingTable(
                .workers,
                [
                    .init("name", "Worker"), .init("scenes", "Scenes"), .init("sessions", "Sessions", isTrailing: true),
                    .init("capacity", "Room for", isTrailing: true),
                    .init("process", "Process", isTrailing: true), .init("state", "State"),
                ],
                rows: workers.map { worker in
                    Row(
                        worker.worker,
                        [
                            Cell(.text(worker.worker), link: PagePath.worker(worker.worker)),
                            Cell(.text(worker.scenes.joined(separator: ", "))), Cell(.count(worker.sessions)),
                            Cell(.count(worker.capacity)), Cell(.text("\(worker.pid)")),
                            worker.isDraining ? Cell("draining", level: .warning) : Cell("attached", level: .good),
                        ])
                }, placeholder: "No worker is attached.")
        }

        static func plugins(_ plugins: [PluginStatus]) -> ThingTable {
            ThingTable(
                .plugins,
                [
                    .init("name", "Plugin"), .init("version", "Version"),
                    .init("restarts", "Restarts", isTrailing: true),
                    .init("process", "Process", isTrailing: true), .init("state", "State"),
                ],
                rows: plugins.map { plugin in
                    Row(
                        plugin.instance,
                        [
                            Cell(.text(plugin.instance), link: PagePath.plugin(plugin.instance)),
                            Cell(.text(plugin.version)), Cell(.count(plugin.restarts)),
                            Cell(.text(plugin.pid.map { "\($0)" } ?? "–")),
                            Cell(.text(plugin.state.rawValue), level: plugin.level),
                        ])
                }, placeholder: "The host starts no plugins.")
        }

        static func entries(_ rows: [Row], placeholder: String, remark: String?) -> ThingTable {
            ThingTable(
                .entries,
                [
                    .init("key", "Entry"), .init("owner", "Owner"), .init("revision", "Revision", isTrailing: true),
                    .init("value", "Value"),
                ], rows: rows, placeholder: placeholder, remark: remark)
        }
    }

    extension DependencyStatus {
        /// The peer that has set it.
        var ownerName: String { owner.isEmpty ? "host" : owner }

        /// The value in words, without its secrets. One that cannot be decoded is not shown: a secret may be in it.
        func shownValue(maximumLength: Int? = nil) -> String {
            guard let value = try? CBORValue(decoding: value) else { return "\(value.count) bytes that cannot be read" }
            return maximumLength.map(value.diagnostic(maximumLength:)) ?? value.diagnostic
        }

        /// Its row in the table of all entries.
        func row(value: String) -> ThingTable.Row {
            ThingTable.Row(
                key,
                [
                    .init(.text(key), link: PagePath.entry(key)),
                    .init(
                        .text(ownerGoneSeconds == nil ? ownerName : "\(ownerName), gone"),
                        level: ownerGoneSeconds == nil ? nil : .warning),
                    .init(.quantity(.number(Double(revision)))), .init(.text(value)),
                ])
        }
    }
#endif
