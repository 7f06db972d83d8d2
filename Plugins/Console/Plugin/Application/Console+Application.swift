#if Console
    import Bus
    import ConsoleModel
    import ConsolePages
    import Messaging
    import SceneContent

    /// The pages of the application and of the things in it.
    extension Console {
        func application(_ query: ListQuery, for browser: ConsoleToken, _ head: RequestHead) async -> ConsoleAnswer {
            if isConfined(browser) { return await ownPage(query, for: browser, head) }
            let (state, problem) = await overview.current()
            let (names, traffic, frame) = (names(for: browser), traffic.picture, frame(browser))
            let own = access(of: logins.user(of: browser.digest)) == .use ? settings.open : []
            return await draw(for: browser, head) {
                let tables = state.tables.map { [.problems, .sessions].contains($0.part) ? $0.naming(names) : $0 }
                var page = ApplicationPage(
                    host: state.host, tables: tables, traffic: traffic, query: query, problem: problem)
                page.own = own
                return .page(page.html(in: frame))
            }
        }

        func thing(
            _ thing: ConsoleRoute.Thing, _ query: ListQuery, for browser: ConsoleToken, _ head: RequestHead
        ) async -> ConsoleAnswer {
            if case .entry(let key) = thing { return await entry(key, for: browser, head) }
            let (state, problem) = await overview.current()
            let (frame, missing) = (frame(browser), message(.noSuchThing, 404, head))
            let names = names(for: browser)
            var end: String?
            if case .session(let id) = thing, mayClose(id, browser) { end = PagePath.close(id) }
            let isConfined = isConfined(browser)
            return await draw(for: browser, head) { [end] in
                guard var page = Self.page(of: thing, query, in: state, isConfined: isConfined) else { return missing }
                page.problem = problem ?? page.problem
                if page.table?.part == .sessions { page.table = page.table?.naming(names) }
                if case .session(let id) = thing, let name = names[id] {
                    page.title = name
                    page.facts.append(ThingFact("Identifier", .text(id)))
                }
                if let end { page.ending = ("Close…", end) }
                return .page(page.html(in: frame))
            }
        }

        /// - Parameter isConfined: whether the reader sees the sessions that are the reader's own, and nothing else.
        /// - Returns: `nil` if there is no such thing.
        private nonisolated static func page(
            of thing: ConsoleRoute.Thing, _ query: ListQuery, in state: ApplicationState, isConfined: Bool
        ) -> ThingPage? {
            // A list of one part has no others.
            var query = query
            query.only = nil
            switch thing {
            case .session(let id):
                return state.sessions.first { $0.session == id }.map { isConfined ? ThingPage(own: $0) : ThingPage($0) }
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
            // A value can have megabytes, so the host is asked once there is a place for the page.
            await withPlace(toDrawFor: browser, head) {
                do {
                    guard let entry = try await overview.entry(key) else { return message(.noSuchThing, 404, head) }
                    let (state, _) = await overview.current()
                    let (frame, names) = (frame(browser), names(for: browser))
                    return await .drawn { .page(ThingPage(entry, state, names).html(in: frame)) }
                } catch let error as MessageError where error.code == .unauthorized {
                    return refusal(error.detail, 403, head)
                } catch {
                    let page = MessagePage(title: "Not now", text: "The host does not answer. Try again.")
                    return message(page, 503, head)
                }
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

        /// - Parameter names: the names of sessions that have one.
        fileprivate init(_ details: EntryDetails, _ state: ApplicationState, _ names: [String: String]) {
            let entry = details.status
            let session = SessionEntryKey(entry.key)?.session
            let owner = entry.ownerName
            let process =
                state.plugins.contains { $0.instance == owner }
                ? PagePath.plugin(owner) : state.workers.contains { $0.worker == owner } ? PagePath.worker(owner) : nil
            self.init(
                entry.key, kind: "Entry", path: PagePath.entry(entry.key), part: .entries,
                facts: [
                    ThingFact(
                        "Owner", .text(entry.ownerGoneSeconds == nil ? owner : "\(owner), gone"), link: process,
                        level: entry.ownerGoneSeconds == nil ? nil : .warning),
                    ThingFact("Revision", .quantity(.number(Double(entry.revision)))),
                    ThingFact("Size", .size(details.size)),
                ] + (session.map { [ThingFact("Session", .text(names[$0] ?? $0), link: PagePath.session($0))] } ?? []),
                text: details.text)
            remark = entry.ownerGoneSeconds.map { seconds in
                // The page is loaded again and again, and seconds would change each time.
                let minutes = (seconds / 60).rounded(.down)
                let since = minutes < 1 ? "less than a minute" : Quantity.seconds(minutes * 60).text
                return """
                    \(owner) has set this value, and has not been attached for \(since). The value may be out of date.
                    Once \(owner) is attached again, there is nothing to be done. If it does not come back: \
                    see its problem with 'scenebus plugins ls', and what it has printed with 'scenebus logs \(owner)'.
                    """
            }
        }
    }
#endif
