#if Console
    import ConsoleModel
    import ConsolePages
    import SceneContent

    /// A form whose body may be read.
    struct FormVisit: Sendable {
        let browser: ConsoleToken
        let route: ConsoleRoute
    }

    /// What becomes of a request once its head is known.
    enum Admission: Sendable {
        case answer(ConsoleAnswer)
        /// Its body is read, up to a number of bytes.
        case form(FormVisit, limit: Int)
    }

    extension Console {
        /// The size of a form in bytes.
        private static let maximumForm = 1 << 20
        /// The command that prints a new link.
        private static let linkCommand = "scenebus request consoleLink"

        func admit(_ head: RequestHead) async -> Admission {
            guard let check else { return .answer(message(.notReady, 503, head)) }
            if let reason = check.refusal(of: head) { return .answer(message(.refused(reason), 403, head)) }
            let route = ConsoleRoute(head)
            switch route {
            case .notFound: return .answer(message(.notFound, 404, head))
            case .otherMethod(let allowed):
                return .answer(message(.otherMethod, 405, head).with("Allow", allowed))
            case .icon: return .answer(.empty)
            case .file(let path, let version): return .answer(file(path, version))
            case .login(let token): return .answer(logIn(token, head))
            case .sessions, .scene, .events, .act, .fill, .logout:
                guard let browser = browser(of: head) else { return .answer(notLoggedIn(.notLoggedIn, head)) }
                return await admit(browser, to: route, head)
            }
        }

        private func admit(_ browser: ConsoleToken, to route: ConsoleRoute, _ head: RequestHead) async -> Admission {
            switch route {
            case .scene(let session): return .answer(await scene(session, for: browser, head))
            case .events(let session, let known):
                return .answer(events(of: session, after: known, for: browser, head))
            case .act, .fill, .logout:
                switch forms.take(browser.digest) {
                case nil: return .form(FormVisit(browser: browser, route: route), limit: Self.maximumForm)
                case .own: return .answer(refusal("You have sent too much at once. Try again.", 429, head))
                case .all: return .answer(refusal("The console is busy. Try again.", 503, head))
                }
            default:
                return .answer(.page(await overview.current().html(in: frame(browser))))
            }
        }

        /// The browser that sends a request, if it is logged in.
        private func browser(of head: RequestHead) -> ConsoleToken? {
            head.values(ofCookie: cookie).prefix(8).compactMap { ConsoleToken($0) }
                .first { logins.use($0.digest, at: ConsoleClock.now) }
        }

        func frame(_ browser: ConsoleToken? = nil) -> PageFrame {
            PageFrame(
                application: settings.title, reader: browser.map { _ in settings.role.rawValue },
                token: browser?.formToken ?? "")
        }

        // MARK: - Without a login

        private func logIn(_ text: String, _ head: RequestHead) -> ConsoleAnswer {
            let browser = ConsoleToken()
            guard let link = ConsoleToken(text), logins.logIn(browser, with: link, at: ConsoleClock.now) else {
                // Whoever loads the link again is logged in already.
                return self.browser(of: head) == nil
                    ? notLoggedIn(.linkExpired, head) : .redirect(to: PagePath.sessions)
            }
            save()
            let answer: ConsoleAnswer =
                head.comesFromOtherSite ? .reload(PagePath.sessions) : .redirect(to: PagePath.sessions)
            return answer.with("Set-Cookie", setCookie(browser))
        }

        func notLoggedIn(_ reason: LoginPage.Reason, _ head: RequestHead) -> ConsoleAnswer {
            if head.wantsJSON { return .json(.refused(reason: "You are no longer logged in."), status: 401) }
            if head.comesFromOtherSite, reason == .notLoggedIn { return .reload() }
            return .page(LoginPage(reason, command: Self.linkCommand).html(in: frame()), status: 401)
        }

        private func file(_ path: String, _ version: String?) -> ConsoleAnswer {
            let file = path == PageAssets.script.path ? PageAssets.script : PageAssets.style
            return .file(file, isKept: version == file.version)
        }

        /// A page that says something, or the same for a script.
        func message(_ message: MessagePage, _ status: Int, _ head: RequestHead) -> ConsoleAnswer {
            head.wantsJSON
                ? .json(.refused(reason: message.text), status: status)
                : .page(message.html(in: frame()), status: status)
        }

        func refusal(_ reason: String, _ status: Int, _ head: RequestHead) -> ConsoleAnswer {
            message(.refused(reason), status, head)
        }

        // MARK: - Scenes

        private func scene(_ session: String, for browser: ConsoleToken, _ head: RequestHead) async -> ConsoleAnswer {
            guard let channel = watching.enter(session) else {
                return refusal("Too many scenes are watched. Try again later.", 503, head)
            }
            defer { watching.leave(channel) }
            let newest = await watching.first(of: channel)
            if newest == nil, let end = channel.ended {
                return end == .closed ? message(.notFound, 404, head) : refusal(end.text, 503, head)
            }
            let page = ScenePage(
                session: session, picture: newest?.picture ?? .unknown, access: watching.access,
                revision: newest?.revision ?? "")
            return .page(page.html(in: frame(browser)))
        }

        private func events(
            of session: String, after known: String?, for browser: ConsoleToken, _ head: RequestHead
        ) -> ConsoleAnswer {
            switch streams.take(browser.digest) {
            case .own: return refusal("This browser shows too many scenes at once.", 429, head)
            case .all: return refusal("The console shows too many scenes at once.", 503, head)
            case nil: break
            }
            guard let channel = watching.enter(session) else {
                streams.leave(browser.digest)
                return refusal("Too many scenes are watched. Try again later.", 503, head)
            }
            return .stream(SceneStream(channel, for: browser.digest, after: known))
        }
    }

    extension MessagePage {
        fileprivate static let notReady = MessagePage(
            title: "Not ready", text: "The console has just started. Try again.", leadsToSessions: false)
        fileprivate static let otherMethod = MessagePage(
            title: "Not allowed", text: "This is not how this address is used.")
    }

    extension ScenePicture {
        /// The picture of a scene of which the host has said nothing yet.
        fileprivate static let unknown = ScenePicture(layers: .init(), state: "no picture yet", isLive: false)
    }
#endif
