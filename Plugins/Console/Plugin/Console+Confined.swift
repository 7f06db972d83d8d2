#if Console
    import Bus
    import ConsoleModel
    import ConsolePages
    import SceneContent

    /// The users who see and use their own sessions, and nothing else.
    extension Console {
        /// Whether a browser has its own sessions only. One that has logged out while it waits for its answer may be a user's.
        func isConfined(_ browser: ConsoleToken) -> Bool {
            guard logins.knows(browser.digest) else { return true }
            return logins.user(of: browser.digest).map(settings.isConfined) ?? false
        }

        /// The sessions that a browser has for itself, and those of the other browsers of its user.
        func ownSessions(of browser: ConsoleToken) -> Set<String> {
            let user = logins.user(of: browser.digest)
            let own = own.all.filter {
                $0.browser == browser.digest || (user != nil && logins.user(of: $0.browser) == user)
            }
            return Set(own.map(\.id))
        }

        /// Whether there is anything for a browser where a route leads. What is not there for it is answered as what does not exist, so
        /// that guesses find nothing.
        func mayReach(_ route: ConsoleRoute, _ browser: ConsoleToken) -> Bool {
            guard isConfined(browser) else { return true }
            switch route {
            case .application, .open, .logout, .stay(session: nil): return true
            case .scene(let session), .events(let session, _), .stay(let session?), .image(let session, _),
                .act(let session), .fill(let session), .closeQuestion(let session), .close(let session),
                .thing(.session(let session), _):
                return ownSessions(of: browser).contains(session)
            default: return false
            }
        }

        /// The page at the start of those who have nothing but their own sessions.
        func ownPage(_ query: ListQuery, for browser: ConsoleToken, _ head: RequestHead) async -> ConsoleAnswer {
            let (state, problem) = await overview.current()
            let own = ownSessions(of: browser)
            let table = ThingTable.own(state.sessions.filter { own.contains($0.session) }).naming(names(for: browser))
            let open = access(of: logins.user(of: browser.digest)) == .use ? settings.open : []
            let frame = frame(browser)
            return await draw(for: browser, head) {
                .page(OwnPage(table, query: query, open: open, problem: problem).html(in: frame))
            }
        }
    }

    extension ThingTable {
        fileprivate static func own(_ sessions: [SessionStatus]) -> ThingTable {
            ThingTable(
                .sessions, [.init("name", "Name"), .init("state", "State")],
                rows: sessions.map { session in
                    Row(
                        session.session,
                        [
                            Cell(.text(session.session), link: SceneAddress.scene(session.session).path),
                            Cell(
                                .text(session.words), link: PagePath.session(session.session), level: session.level,
                                label: "\(session.session): \(session.words)"),
                        ], rank: session.rank)
                }, placeholder: "You have nothing open.")
        }
    }

    extension ThingPage {
        /// The page of a session for those who see no workers.
        init(own session: SessionStatus) {
            self.init(
                session.session, kind: "Session", path: PagePath.session(session.session), part: .sessions,
                facts: [
                    ThingFact("State", .text(session.words), level: session.level),
                    ThingFact("Configuration", .text(session.configuration)),
                ], action: ("Open the scene", SceneAddress.scene(session.session).path), problem: session.problem)
        }
    }

    extension SessionStatus {
        /// How it is, for those who use its scene.
        fileprivate var words: String {
            isHeld == true ? "Stopped: tell whoever looks after these pages" : SessionWords(state.rawValue).text
        }
    }
#endif
