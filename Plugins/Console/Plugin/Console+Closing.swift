#if Console
    import Bus
    import ConsoleModel
    import ConsolePages
    import Messaging

    /// The closing of sessions from their pages.
    extension Console {
        /// Whether a browser may close a session: that of an operator, who has come with a link, or of an administrator may, and each
        /// may close its own.
        func mayClose(_ session: String, _ browser: ConsoleToken) -> Bool {
            // Whoever has logged out while the host was asked is not one who has come with a link.
            guard logins.knows(browser.digest) else { return false }
            let user = logins.user(of: browser.digest)
            guard access(of: user) == .use else { return false }
            guard let user, !settings.isAdministrator(user) else { return true }
            return ownSessions(of: browser).contains(session)
        }

        /// The page that asks whether a session is to be closed.
        func askToClose(_ session: String, for browser: ConsoleToken, _ head: RequestHead) async -> ConsoleAnswer {
            do {
                guard let found = try await opening.status(of: session) else {
                    return message(.closed(session), 404, head)
                }
                guard mayClose(session, browser) else { return refusal(Self.mayNotClose, 403, head) }
                let page = ClosePage(
                    session, name: names(for: browser)[session], configuration: found.configuration)
                return .page(page.html(in: frame(browser)))
            } catch {
                return message(.notClosed(error.words), 503, head)
            }
        }

        /// Closes a session, as the act of the browser's user. A form that is posted again finds it closed.
        func close(_ session: String, for browser: ConsoleToken, _ head: RequestHead) async -> ConsoleAnswer {
            let name = names(for: browser)[session]
            do {
                if try await opening.status(of: session) != nil {
                    guard mayClose(session, browser) else { return refusal(Self.mayNotClose, 403, head) }
                    try await opening.close(session, for: logins.user(of: browser.digest))
                    own.closed(session)
                    save()
                    overview.forget()
                }
            } catch {
                return message(.notClosed(error.words), 503, head)
            }
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
