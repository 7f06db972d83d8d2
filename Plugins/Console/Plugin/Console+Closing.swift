#if Console
    import Bus
    import ConsoleModel
    import ConsolePages
    import Messaging
    import OperatorKit

    /// The closing of sessions from their pages.
    extension Console {
        /// How long the host may take to say something of a session, or to close it.
        private static let closingTime = Duration.seconds(5)

        /// Whether a browser may close a session: that of an operator, who has come with a link, or of an administrator may, and each
        /// may close its own.
        func mayClose(_ session: String, _ browser: ConsoleToken) -> Bool {
            let user = logins.user(of: browser.digest)
            guard access(of: user) == .use else { return false }
            guard let user, !settings.isAdministrator(user) else { return true }
            return own.sessions(of: browser.digest).contains { $0.id == session }
        }

        /// The page that asks whether a session is to be closed.
        func askToClose(_ session: String, for browser: ConsoleToken, _ head: RequestHead) async -> ConsoleAnswer {
            guard mayClose(session, browser) else { return refusal(Self.mayNotClose, 403, head) }
            do {
                let found = try await chain(actingFor: nil).within(Self.closingTime).hostSession(session: session)
                let page = ClosePage(
                    session, name: names(for: browser)[session], configuration: found.configuration)
                return .page(page.html(in: frame(browser)))
            } catch let error as RemoteError where error.sceneCommandCode == .unknownSession {
                return message(.closed(session), 404, head)
            } catch {
                return message(.notClosed(String(foreign: error)), 503, head)
            }
        }

        /// Closes a session, as the act of the browser's user.
        func close(_ session: String, for browser: ConsoleToken, _ head: RequestHead) async -> ConsoleAnswer {
            guard mayClose(session, browser) else { return refusal(Self.mayNotClose, 403, head) }
            let name = names(for: browser)[session]
            do {
                let chain = chain(actingFor: logins.user(of: browser.digest)).within(Self.closingTime)
                try await chain.hostCloseSession(session: session)
            } catch let error as RemoteError where error.sceneCommandCode == .unknownSession {
                // A form that is posted again has closed it before.
            } catch {
                return message(.notClosed(String(foreign: error)), 503, head)
            }
            own.closed(session)
            save()
            overview.forget()
            return .page(MessagePage.closed(name ?? session).html(in: frame(browser).below(.list(of: .sessions))))
        }

        private static let mayNotClose = """
            You may not close this session. Who has come with a link may, and so may the users in the list \
            'administrators' of the console's configuration.
            """
    }

    extension MessagePage {
        fileprivate static func closed(_ session: String) -> MessagePage {
            MessagePage(title: "Closed", text: "The session \(session) is closed.")
        }

        fileprivate static func notClosed(_ reason: String) -> MessagePage {
            MessagePage(title: "The session is not closed", text: reason)
        }
    }
#endif
