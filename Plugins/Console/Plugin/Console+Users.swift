#if Console
    import AccountMessages
    import ConsoleModel
    import ConsolePages
    import Logging
    import Messaging
    import PluginKit

    /// The users of the accounts plugin, who log in with their name and password.
    extension Console {
        /// The size of the form in bytes: a password has at most 1,024, each of which can be written as three.
        private static let maximumPasswordForm = 8 << 10
        /// How long the accounts plugin may take. Each check is slow on purpose, and waits for those before it.
        private static let passwordTime = Duration.seconds(15)

        /// The form to log in. Which page has sent it was checked with all requests: before a login there is no token.
        func admitLogin(_ head: RequestHead) -> Admission {
            guard settings.users == .accounts else { return .answer(refusal(Self.noUsers, 403, head)) }
            let browser = ConsoleToken()
            // One machine keeps no others from logging in. On this one, and behind a proxy, there are others.
            let owner = head.machine.map { PlaceOwner.machine($0) } ?? .browser(browser.digest)
            if let refusal = passwordForms.take(owner) {
                return .answer(full(refusal) { loginPage(.notLoggedIn, asked: nil, problem: $0, $1) })
            }
            return .form(FormVisit(browser: browser, owner: owner, purpose: .logIn), limit: Self.maximumPasswordForm)
        }

        /// Logs a browser in, if the accounts plugin knows the name and the password.
        func logIn(_ visit: FormVisit, with form: FormValues, _ head: RequestHead) async -> ConsoleAnswer {
            let (name, password) = (form["username"] ?? "", form["password"] ?? "")
            let asked = form["asked"].flatMap(PageTarget.init)
            func refused(_ problem: String, _ status: Int) -> ConsoleAnswer {
                loginPage(.notLoggedIn, asked: asked, problem: problem, status)
            }
            guard !name.isEmpty, !password.isEmpty else {
                return refused("Type your name and your password.", 401)
            }
            if let refusal = passwordChecks.take(visit.owner) { return full(refusal, refused) }
            defer { passwordChecks.leave(visit.owner) }
            let user: String
            do {
                let chain = chain(actingFor: nil).within(Self.passwordTime)
                user = try await chain.accountCheck(username: name, password: Secret(password)).username
            } catch let error as RemoteError where error.code == "unknownOrWrongPassword" {
                return refused(String(foreign: error), 401)
            } catch let error as RemoteError where ["throttled", "tooManyLogins"].contains(error.code) {
                return refused(String(foreign: error), 429)
            } catch {
                logger.warning("a login cannot be checked", metadata: ["reason": "\(String(foreign: error))"])
                return refused(Self.noAccounts, 503)
            }
            if let problem = MessageActor.problem(withUser: user) {
                return refused("This account cannot act in scenes: \(problem).", 403)
            }
            return logIn(visit.browser, as: user, to: asked ?? start(of: user), head)
        }

        private func logIn(
            _ browser: ConsoleToken, as user: String, to target: PageTarget, _ head: RequestHead
        ) -> ConsoleAnswer {
            for old in earlierLogins(of: head) {
                own.move(from: old, to: browser.digest, of: user)
                logins.logOut(old)
                watching.end(streamsOf: old, "You have logged in again. Load the page again.")
            }
            logins.logIn(browser, as: user, at: now)
            save()
            logger.info("a user has logged in", metadata: ["user": "\(user)"])
            return .redirect(to: target.path).with("Set-Cookie", cookie.giving(browser))
                .forgetting(askedCookie, of: head)
        }

        /// The page of one for whom there is no place.
        /// - Parameter page: returns the page with a problem, and with a status.
        private func full(
            _ refusal: Places<PlaceOwner>.Refusal, _ page: (String, Int) -> ConsoleAnswer
        ) -> ConsoleAnswer {
            switch refusal {
            case .own: page("Too many users of this machine log in at this moment. Try again.", 429)
            case .all: page("Too many users log in at this moment. Try again.", 503)
            }
        }

        private static let noUsers = """
            Nobody logs in here with a password. Whoever runs the application can allow it, with 'users' in the console's \
            configuration.
            """
        private static let noAccounts = """
            The accounts cannot be reached now, so no password can be checked. Try again, or log in with a link.
            """
    }
#endif
