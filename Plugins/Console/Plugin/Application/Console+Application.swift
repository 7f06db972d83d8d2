#if Console
    import Bus
    import ConsoleModel
    import ConsolePages
    import Messaging
    import SceneContent

    /// The pages of the application and of the things in it.
    extension Console {
        func application(_ query: ListQuery, for browser: ConsoleToken, _ head: RequestHead) async -> ConsoleAnswer {
            let (state, problem) = await overview.current()
            var page = ApplicationPage(
                host: state.host, tables: state.tables, traffic: traffic.picture, query: query, problem: problem)
            if access(of: logins.user(of: browser.digest)) == .use { page.own = settings.open }
            let frame = frame(browser)
            return await draw(for: browser, head) { [page] in .page(page.html(in: frame)) }
        }

        func thing(
            _ thing: ConsoleRoute.Thing, _ query: ListQuery, for browser: ConsoleToken, _ head: RequestHead
        ) async -> ConsoleAnswer {
            if case .entry(let key) = thing { return await entry(key, for: browser, head) }
            let (state, problem) = await overview.current()
            let (frame, missing) = (frame(browser), message(.noSuchThing, 404, head))
            return await draw(for: browser, head) {
                guard var page = Self.page(of: thing, query, in: state) else { return missing }
                page.problem = problem ?? page.problem
                return .page(page.html(in: frame))
            }
        }

        /// - Returns: `nil` if there is no such thing.
        private nonisolated static func page(
            of thing: ConsoleRoute.Thing, _ query: ListQuery, in state: ApplicationState
        ) -> ThingPage? {
            // A list of one part has no others.
            var query = query
            query.only = nil
            switch thing {
            case .session(let id): return state.sessions.first { $0.session == id }.map { ThingPage($0) }
            case .worker(let name):
                return state.workers.first { $0.worker == name }.map { worker in
                    ThingPage(worker, state, query)
                }
            case .plugin(let name):
                return state.plugins.first { $0.instance == name }.map { ThingPage($0, state) }
            case .entries:
                return ThingPage(
                    "Entries", kind: "", path: PagePath.entries, part: .entries, table: state[.entries], query: query)
            case .entry: return nil
            }
        }

        private func entry(_ key: String, for browser: ConsoleToken, _ head: RequestHead) async -> ConsoleAnswer {
            do {
                guard let entry = try await overview.entry(key) else { return message(.noSuchThing, 404, head) }
                let frame = frame(browser)
                return await draw(for: browser, head) { .page(ThingPage(entry).html(in: frame)) }
            } catch let error as MessageError where error.code == .unauthorized {
                return refusal(error.detail, 403, head)
            } catch {
                return message(MessagePage(title: "Not now", text: "The host does not answer. Try again."), 503, head)
            }
        }
    }

    extension MessagePage {
        fileprivate static let noSuchThing = MessagePage(
            title: "Not found", text: "The application has nothing of this name now.")
    }

    extension ThingPage {
        fileprivate init(_ session: SessionStatus) {
            self.init(
                session.session, kind: "Session", path: PagePath.session(session.session), part: .sessions,
                facts: [
                    ThingFact("State", .text(session.state.rawValue), level: session.level),
                    ThingFact("Configuration", .text(session.configuration)), ThingFact("Role", .text(session.role)),
                    ThingFact("Worker", .text(session.worker ?? "–"), link: session.worker.map(PagePath.worker)),
                    ThingFact("Process", .text(session.pid.map { "\($0)" } ?? "–")),
                ], action: ("Open the scene", SceneAddress.scene(session.session).path),
                problem: session.problem.map { "\($0)\n\(session.wayOut)" })
        }

        fileprivate init(_ worker: WorkerStatus, _ state: ApplicationState, _ query: ListQuery) {
            let sessions = state.sessions.filter { $0.worker == worker.worker }
            let isPlugin = state.plugins.contains { $0.instance == worker.worker }
            self.init(
                worker.worker, kind: "Worker", path: PagePath.worker(worker.worker), part: .workers,
                facts: [
                    ThingFact(
                        "State", .text(worker.isDraining ? "draining" : "attached"),
                        level: worker.isDraining ? .warning : .good),
                    ThingFact("Scenes", .text(worker.scenes.joined(separator: ", "))),
                    ThingFact("Sessions", .count(worker.sessions)), ThingFact("Room for", .count(worker.capacity)),
                    ThingFact("Software", .text(worker.software.isEmpty ? "–" : worker.software)),
                    ThingFact(
                        "Process", .text("\(worker.pid)"), link: isPlugin ? PagePath.plugin(worker.worker) : nil),
                ], table: .sessions(sessions, remark: nil), query: query)
        }

        fileprivate init(_ plugin: PluginStatus, _ state: ApplicationState) {
            let isWorker = state.workers.contains { $0.worker == plugin.instance }
            func list(_ names: [String]) -> ContentValue { .text(names.isEmpty ? "–" : names.joined(separator: ", ")) }
            self.init(
                plugin.instance, kind: "Plugin", path: PagePath.plugin(plugin.instance), part: .plugins,
                facts: [
                    ThingFact("State", .text(plugin.state.rawValue), level: plugin.level),
                    ThingFact("Version", .text(plugin.version)), ThingFact("Restarts", .count(plugin.restarts)),
                    ThingFact(
                        "Process", .text(plugin.pid.map { "\($0)" } ?? "–"),
                        link: isWorker ? PagePath.worker(plugin.instance) : nil),
                    ThingFact("Handles", list(plugin.handles)), ThingFact("Provides", list(plugin.provides)),
                    ThingFact("Scenes", list(plugin.scenes)),
                ],
                problem: plugin.problem.map {
                    "\($0)\nSee what it has printed: scenebus logs \(plugin.instance)"
                })
        }

        fileprivate init(_ entry: DependencyStatus) {
            let session = SessionEntryKey(entry.key)?.session
            let isGone = entry.ownerGoneSeconds != nil
            self.init(
                entry.key, kind: "Entry", path: PagePath.entry(entry.key), part: .entries,
                facts: [
                    ThingFact(
                        "Owner", .text(isGone ? "\(entry.ownerName), gone" : entry.ownerName),
                        level: isGone ? .warning : nil),
                    ThingFact("Revision", .quantity(.number(Double(entry.revision)))),
                    ThingFact("Size", .size(entry.value.count)),
                ] + (session.map { [ThingFact("Session", .text($0), link: PagePath.session($0))] } ?? []),
                text: entry.shownValue(),
                problem: isGone ? "Its owner is not attached, so the value may be out of date." : nil)
        }
    }
#endif
