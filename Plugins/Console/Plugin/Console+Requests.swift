#if Console
    import Bus
    import ConsoleModel
    import ConsolePages
    import SceneContent

    /// A page that shows a scene, and who has it.
    struct SceneVisit: Sendable {
        let session: String
        let view: SceneView
        /// The login, or the key of a screen on a wall.
        let reader: ConsoleToken
        /// The user who is logged in; `nil` for those who have come with a link, and before a wall.
        let user: String?
        /// The name of the screen on a wall on which it is; `nil` for a browser.
        var wall: String?

        var visitor: SceneVisitor {
            let watcher = wall.map { SceneWatcher(wall: $0) } ?? SceneWatcher(surface: "browser", name: user)
            return SceneVisitor(digest: reader.digest, watcher: watcher)
        }
    }

    /// A form whose body may be read.
    struct FormVisit: Sendable {
        enum Purpose: Sendable {
            case act(SceneVisit)
            case fill(SceneVisit)
            case open(configuration: String)
            case close(session: String)
            case logout
            case logIn
        }

        /// The login, also one that a user asks for, or the key of a screen on a wall.
        let browser: ConsoleToken
        /// Who has the place in which it is read.
        let owner: PlaceOwner
        let purpose: Purpose
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
            followClock()
            guard let check else {
                let page = MessagePage.notReady
                return .answer(head.method == "POST" ? busy(page.text, 503, head) : message(page, 503, head))
            }
            if check.isElsewhere(head), let origin { return .answer(.redirect(to: origin + head.target)) }
            if let reason = check.refusal(of: head) { return .answer(message(.refused(reason), 403, head)) }
            let route = ConsoleRoute(head)
            switch route {
            case .notFound: return .answer(message(.notFound, 404, head))
            case .otherMethod(let allowed):
                return .answer(message(.otherMethod, 405, head).with("Allow", allowed))
            case .icon: return .answer(.empty)
            case .file(let path, let version): return .answer(file(path, version))
            case .login(let token): return .answer(logIn(token, head))
            case .userLogin: return admitLogin(head)
            case .wall(let configuration, let request):
                return await admitWall(of: configuration, to: request, head)
            case .application, .thing, .scene, .events, .stay, .image, .act, .fill, .open, .closeQuestion, .close,
                .logout:
                guard let browser = browser(of: head) else {
                    return .answer(askingAgain(for: route, head) ?? notLoggedIn(.notLoggedIn, head))
                }
                return await admit(browser, to: route, head)
            }
        }

        private func admit(_ browser: ConsoleToken, to route: ConsoleRoute, _ head: RequestHead) async -> Admission {
            guard mayReach(route, browser) else { return .answer(message(.notFound, 404, head)) }
            let user = logins.user(of: browser.digest)
            func visit(_ session: String) -> SceneVisit {
                SceneVisit(
                    session: session, view: SceneView(address: .scene(session), access: access(of: user)),
                    reader: browser, user: user)
            }
            switch route {
            case .scene(let session): return .answer(await scene(visit(session), head))
            case .events(let session, let known): return .answer(events(visit(session), after: known, head))
            case .stay(let session):
                // The browser has come, so its login lasts. The session may be another browser's own.
                if let session { own.use(of: [session], at: now) }
                return .answer(.empty)
            case .image(let session, let hash): return .answer(await image(hash, of: visit(session), head))
            case .act(let session): return admitForm(of: browser, .act(visit(session)), head)
            case .fill(let session): return admitForm(of: browser, .fill(visit(session)), head)
            case .closeQuestion(let session): return .answer(await askToClose(session, for: browser, head))
            case .close(let session): return admitForm(of: browser, .close(session: session), head)
            case .logout: return admitForm(of: browser, .logout, head)
            case .open(let configuration, .page(let asks)):
                return .answer(await open(configuration, for: browser, asks: asks, head))
            case .open(let configuration, .form):
                return admitForm(of: browser, .open(configuration: configuration), head)
            case .application(let query): return .answer(await application(query, for: browser, head))
            case .thing(let thing, let query): return .answer(await self.thing(thing, query, for: browser, head))
            default: return .answer(message(.notFound, 404, head))
            }
        }

        func admitForm(of browser: ConsoleToken, _ purpose: FormVisit.Purpose, _ head: RequestHead) -> Admission {
            let owner = owner(of: browser)
            return switch forms.take(owner) {
            case nil: .form(FormVisit(browser: browser, owner: owner, purpose: purpose), limit: Self.maximumForm)
            case .own: .answer(busy("You have sent too much at once. Try again.", 429, head))
            case .all: .answer(busy("The console is busy. Try again.", 503, head))
            }
        }

        /// With whose places those of a browser are counted: a user can log in as often as the user likes.
        func owner(of browser: ConsoleToken) -> PlaceOwner {
            logins.user(of: browser.digest).map { .user($0) } ?? .browser(browser.digest)
        }

        /// The browser that sends a request, if it is logged in.
        private func browser(of head: RequestHead) -> ConsoleToken? {
            head.tokens(inCookie: cookie.name).first { isLoggedIn($0.digest, at: now) }
        }

        func frame(_ browser: ConsoleToken? = nil) -> PageFrame {
            PageFrame(
                application: settings.title,
                reader: browser.map { logins.user(of: $0.digest) ?? settings.role.rawValue },
                token: browser?.formToken ?? "")
        }

        func frame(_ visit: SceneVisit) -> PageFrame {
            guard case .wall = visit.view.address else {
                let name = names(for: visit.reader)[visit.session]
                var frame = frame(visit.reader).below(
                    .list(of: .sessions), .session(visit.session, name: name))
                frame.place = name
                return frame
            }
            return PageFrame(application: settings.title, token: visit.reader.formToken, isWall: true)
        }

        // MARK: - Without a login

        private func logIn(_ text: String, _ head: RequestHead) -> ConsoleAnswer {
            let browser = ConsoleToken()
            guard let link = ConsoleToken(text), logins.logIn(browser, with: link, at: now) else {
                // Whoever loads the link again is logged in already.
                return self.browser(of: head) == nil
                    ? notLoggedIn(.linkExpired, head) : .redirect(to: start(of: nil).path)
            }
            let target = asked(by: head) ?? start(of: nil)
            // A user's sessions stay the user's, also those of a login that has ended.
            for old in earlierLogins(of: head) where logins.user(of: old) == nil {
                own.move(from: old, to: browser.digest)
                // A copy of the earlier cookie, which somebody else may have, ends with it.
                logins.logOut(old)
                watching.end(streamsOf: old, "You have logged in again. Load the page again.")
            }
            save()
            let answer: ConsoleAnswer = head.comesFromOtherSite ? .reload(target.path) : .redirect(to: target.path)
            return answer.with("Set-Cookie", cookie.giving(browser)).forgetting(askedCookie, of: head)
        }

        /// The page to which a login leads a user who has asked for none; `nil` for those who have come with a link. Who may open nothing
        /// is not led to where a session is opened.
        func start(of user: String?) -> PageTarget {
            settings.start.opened == nil || access(of: user) == .use ? settings.start : .application
        }

        /// The page that a browser has asked for before its login, with this request or with an earlier one; `nil` for none.
        private func asked(by head: RequestHead) -> PageTarget? {
            if head.method == "GET", head.target == PagePath.application { return nil }
            return PageTarget(askedBy: head)
                ?? head.values(ofCookie: askedCookie.name).first.flatMap { PageTarget(String($0)) }
        }

        /// The logins that a browser has had so far.
        func earlierLogins(of head: RequestHead) -> [TokenDigest] {
            head.tokens(inCookie: cookie.name).map(\.digest)
        }

        func notLoggedIn(_ reason: LoginPage.Reason, _ head: RequestHead) -> ConsoleAnswer {
            if head.wantsJSON { return .json(.refused(reason: "You are no longer logged in."), status: 401) }
            if head.comesFromOtherSite, reason == .notLoggedIn { return .reload() }
            let asked = asked(by: head)
            let page = loginPage(reason, asked: asked, 401)
            // Whoever opens a link to log in says nothing of a page.
            return asked.map { page.with("Set-Cookie", askedCookie.giving($0)) }
                ?? page.forgetting(askedCookie, of: head)
        }

        /// - Parameters:
        ///   - asked: the page that the login leads to; `nil` for the one at the start.
        ///   - problem: why a user was not logged in.
        func loginPage(
            _ reason: LoginPage.Reason, asked: PageTarget?, problem: String? = nil, _ status: Int
        ) -> ConsoleAnswer {
            var page = LoginPage(reason, command: Self.linkCommand)
            page.asked = asked?.path
            page.hasForm = settings.users == .accounts
            page.problem = problem
            return .page(page.html(in: frame()), status: status)
        }

        private func file(_ path: String, _ version: String?) -> ConsoleAnswer {
            let file = path == PageAssets.script.path ? PageAssets.script : PageAssets.style
            return .file(file, isKept: version == file.version)
        }

        /// A page that says something, or the same for a script.
        func message(_ message: MessagePage, _ status: Int, _ head: RequestHead) -> ConsoleAnswer {
            head.wantsJSON
                ? .json(.refused(reason: message.text), status: status)
                : .page(
                    message.html(in: PageFrame(application: settings.title, isWall: head.isOfWall)), status: status)
        }

        func refusal(_ reason: String, _ status: Int, _ head: RequestHead) -> ConsoleAnswer {
            message(.refused(reason), status, head)
        }

        /// The answer to a form that cannot be taken now. What it asks for may have been done already, because of an earlier copy, so a
        /// script must not take it for refused, but posts the same again.
        func busy(_ reason: String, _ status: Int, _ head: RequestHead) -> ConsoleAnswer {
            head.wantsJSON ? .json(.unanswered(reason: reason), status: status) : refusal(reason, status, head)
        }

        // MARK: - Scenes

        func scene(_ visit: SceneVisit, _ head: RequestHead) async -> ConsoleAnswer {
            await withScene(visit, head) { await scene(visit, on: $0, head) }
        }

        private func scene(_ visit: SceneVisit, on channel: SceneChannel, _ head: RequestHead) async -> ConsoleAnswer {
            let newest = await watching.first(of: channel)
            if newest == nil, let end = channel.ended {
                return end == .closed ? message(.notFound, 404, head) : message(.notShown(end.text), 503, head)
            }
            let page = ScenePage(
                address: visit.view.address, picture: newest?.picture ?? .unknown, access: visit.view.access,
                revision: newest?.revision ?? "", company: company(of: channel, for: visit),
                identifier: Self.newIdentifier)
            let frame = frame(visit)
            return await draw(for: visit.reader, head) { .page(page.html(in: frame)) }
        }

        /// Who else looks at a scene, for a page that is loaded.
        func company(of channel: SceneChannel, for visit: SceneVisit) -> PageCompany {
            watching.visitors(of: channel)?.load(for: visit.visitor) ?? PageCompany()
        }

        func events(_ visit: SceneVisit, after known: String?, _ head: RequestHead) -> ConsoleAnswer {
            let owner = visit.reader.digest
            switch streams.take(owner) {
            case .own: return refusal("This browser shows too many scenes at once.", 429, head)
            case .all: return refusal("The console shows too many scenes at once.", 503, head)
            case nil: break
            }
            guard let channel = watching.enter(visit.session) else {
                streams.leave(owner)
                return tooManyScenes(head)
            }
            watching.visitors(of: channel)?.come(visit.visitor)
            let stream = SceneStream(channel, for: owner, in: visit.view, after: known) {
                Task { @MainActor in self.leave(channel, of: owner) }
            }
            return .stream(stream)
        }
    }

    extension MessagePage {
        fileprivate static let notReady = MessagePage(
            title: "Not ready", text: "The console has just started. Try again.", leadsBack: false)
        fileprivate static let otherMethod = MessagePage(
            title: "Not allowed", text: "This is not how this address is used.")
    }

    extension ScenePicture {
        /// The picture of a scene of which the host has said nothing yet.
        fileprivate static let unknown = ScenePicture(layers: .init(), state: "no picture yet", isLive: false)
    }
#endif
