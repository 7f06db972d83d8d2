#if Console
    import ConsoleModel
    import ConsolePages

    /// The screens on walls.
    extension Console {
        // MARK: - Their keys

        /// Adds a screen.
        /// - Returns: its address; `nil` until the console listens.
        func addWall(
            _ name: String, showing configuration: String, url: String?, access: ConsoleWalls.Access?
        ) async throws -> String? {
            guard let origin else { return nil }
            let key = try walls.add(name, showing: configuration, url: url, access: access)
            if let reason = await saveNow() {
                _ = walls.revoke(name)
                save()
                throw NotKept("the wall is not added", reason: reason)
            }
            return "\(origin)\(SceneAddress.wall(configuration).path)?device=\(key.text)"
        }

        /// Revokes the key of a screen, and closes its session.
        /// - Returns: whether there is a screen of this name.
        /// - Throws: ``NotKept`` if the key is revoked only until a restart.
        func revokeWall(_ name: String) async throws -> Bool {
            guard let (wall, key) = walls.revoke(name) else { return false }
            own.close(wall.session)
            watching.end(streamsOf: key, "This screen is no longer allowed.")
            let problem = await saveNow()
            closeSessions(at: now)
            if let problem {
                throw NotKept("the key is revoked, but valid again if the console is restarted now", reason: problem)
            }
            return true
        }

        // MARK: - Their requests

        func admitWall(
            of configuration: String, to request: ConsoleRoute.WallRequest, _ head: RequestHead
        ) async -> Admission {
            let path = SceneAddress.wall(configuration).path
            let cookie = wallCookie(of: configuration)
            if case .page(let text?) = request, let key = ConsoleToken(text), wall(key, configuration) != nil {
                // The key moves into the cookie, so that it does not stay in the history.
                var answer: ConsoleAnswer = head.comesFromOtherSite ? .reload(path) : .redirect(to: path)
                answer.hidesAddress = true
                return .answer(answer.with("Set-Cookie", cookie.giving(key)))
            }
            let screens = head.tokens(inCookie: cookie.name).lazy.compactMap { key in
                self.wall(key, configuration).map { (key, $0) }
            }
            guard let (key, wall) = screens.first else {
                if head.comesFromOtherSite { return .answer(.reload()) }
                return .answer(message(.noKey, 403, head))
            }
            if case .page(_?) = request {
                // The address has an earlier key.
                return .answer(.redirect(to: path))
            }
            let view = SceneView(address: .wall(configuration), access: access(of: wall))
            let visit = SceneVisit(session: wall.session, view: view, reader: key, user: nil, wall: wall.name)
            switch request {
            case .image(let hash): return .answer(await image(hash, of: visit, head))
            case .act: return admitForm(of: key, .act(visit), head)
            case .fill: return admitForm(of: key, .fill(visit), head)
            case .page, .events: break
            }
            var answer: ConsoleAnswer
            if case .refused(let reason) = await opening.open(wall.session, configuration, with: wall.url) {
                answer = message(.notShown(reason), 503, head)
            } else if case .events(let known) = request {
                answer = events(visit, after: known, head)
            } else {
                answer = await scene(visit, head)
            }
            // The browser keeps the key for as long as the screen comes.
            answer = answer.with("Set-Cookie", cookie.giving(key))
            return .answer(answer)
        }

        private func wall(_ key: ConsoleToken, _ configuration: String) -> ConsoleWalls.Wall? {
            walls[key.digest].flatMap { $0.configuration == configuration ? $0 : nil }
        }
    }

    extension MessagePage {
        static let noKey = MessagePage(
            title: "This screen has no key",
            text: "Whoever runs the application gives it one: scenebus request consoleWall")

        static func notShown(_ reason: String) -> MessagePage {
            MessagePage(title: "Nothing can be shown yet", text: reason)
        }
    }
#endif
