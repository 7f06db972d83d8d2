#if Console
    import Bus
    import ConsoleModel
    import ConsolePages

    /// What sessions are called on pages, where they have more than an identifier.
    extension Console {
        /// The names of sessions by their identifiers: those of the screens on walls, and of the sessions that browsers have for
        /// themselves, for one of these browsers.
        func names(for browser: ConsoleToken) -> [String: String] {
            var names: [String: String] = [:]
            for wall in walls.all { names[wall.session] = "\(wall.name)\(SceneWatcher.wallMark)" }
            for session in own.all {
                if session.browser == browser.digest {
                    names[session.id] = "\(session.configuration) (your own)"
                } else if let user = logins.user(of: session.browser) {
                    names[session.id] = "\(session.configuration) (\(user))"
                }
            }
            return names
        }
    }
#endif
