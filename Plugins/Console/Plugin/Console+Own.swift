#if Console
    import ConsoleModel
    import ConsolePages

    /// The sessions that browsers have for themselves.
    extension Console {
        /// Leads a browser to its own session of a configuration. If that is not open, it is opened, but a reader who was not led here
        /// by the console's own pages is asked first.
        /// - Parameter asks: whether the reader is asked whoever has led here.
        func open(
            _ configuration: String, for browser: ConsoleToken, asks: Bool, _ head: RequestHead
        ) async -> ConsoleAnswer {
            if let refusal = refusal(toOpen: configuration, for: browser, head) { return refusal }
            guard asks || !head.comesFromHere || head.method == "HEAD" else {
                return await open(configuration, for: browser, head)
            }
            if let session = own.session(of: configuration, for: browser.digest), await opening.isOpen(session) {
                return .redirect(to: SceneAddress.scene(session).path)
            }
            return .page(OpenPage(configuration: configuration).html(in: frame(browser)))
        }

        /// What a browser loads instead that came here by a link of another site, and so has left out its cookie: it is asked, because the
        /// page that it is given now leads it here as one of this site. `nil` for other requests.
        func askingAgain(for route: ConsoleRoute, _ head: RequestHead) -> ConsoleAnswer? {
            guard case .open(let configuration, .page) = route, head.comesFromOtherSite else { return nil }
            return .reload(PagePath.open(asking: configuration))
        }

        private func refusal(
            toOpen configuration: String, for browser: ConsoleToken, _ head: RequestHead
        ) -> ConsoleAnswer? {
            guard settings.open.contains(configuration) else {
                return message(.notAllowed(toOpen: configuration), 404, head)
            }
            guard access(of: logins.user(of: browser.digest)) == .use else {
                return refusal("You may look, but not open sessions.", 403, head)
            }
            return nil
        }

        /// Leads a browser to its own session of a configuration, which is opened if it is not open.
        func open(_ configuration: String, for browser: ConsoleToken, _ head: RequestHead) async -> ConsoleAnswer {
            if let refusal = refusal(toOpen: configuration, for: browser, head) { return refusal }
            let user = logins.user(of: browser.digest)
            // Somebody may look at it elsewhere, such as at a terminal: only the host knows of those.
            while let user, own.session(of: configuration, for: browser.digest) == nil,
                let id = own.givingWay(for: user, at: now, isLoggedIn: logins.knows)
            {
                guard let isWatched = await opening.isWatched(id) else {
                    return message(.notOpened("The host does not answer now. Try again."), 503, head)
                }
                guard isWatched else { break }
                own.use(of: [id], at: now)
            }
            let session: String
            let entry = own.enter(
                configuration, for: browser.digest, as: user, at: now, isLoggedIn: logins.knows)
            switch entry {
            case .session(let id): session = id
            case .tooManyOwn: return refusal("You have as many sessions of your own as you may. Close one.", 429, head)
            case .tooMany: return refusal("There are too many sessions of browsers. Try again later.", 503, head)
            }
            // A console that ends now must find the session again that it is about to open.
            await saveNow()
            switch await opening.open(session, configuration, for: user) {
            case .open: return .redirect(to: SceneAddress.scene(session).path)
            case .refused(let reason): return message(.notOpened(reason), 503, head)
            case .unknown: return message(.notOpened("The host does not answer now. Try again."), 503, head)
            }
        }

        /// Closes the sessions whose browsers have not come for long enough.
        func closeSessions(at now: Double) {
            guard closing == nil, own.hasRest(at: now) else { return }
            closing = Task {
                let unwatched = await unwatchedSessions(at: now)
                // Meanwhile a browser may have come.
                for session in own.takeResting(at: self.now, isUnwatched: unwatched.contains)
                where (try? await opening.close(session)) != nil {
                    own.closed(session)
                }
                closing = nil
                save()
            }
        }

        /// The sessions that rest, and that nobody looks at elsewhere, such as at a terminal: only the host knows of those.
        private func unwatchedSessions(at now: Double) async -> Set<String> {
            var unwatched: Set<String> = []
            for session in own.resting(at: now) {
                // While the host is away, none is closed.
                guard let isWatched = await opening.isWatched(session) else { break }
                if isWatched {
                    own.use(of: [session], at: now)
                } else {
                    unwatched.insert(session)
                }
            }
            return unwatched
        }
    }

    extension MessagePage {
        fileprivate static func notAllowed(toOpen configuration: String) -> MessagePage {
            MessagePage(
                title: "Not found",
                text: """
                    Browsers may not open sessions of '\(configuration)'. Whoever runs the application can allow it, with the \
                    name in the list 'open' of the console's configuration.
                    """)
        }

        fileprivate static func notOpened(_ reason: String) -> MessagePage {
            MessagePage(title: "Your session could not be opened", text: reason)
        }
    }
#endif
