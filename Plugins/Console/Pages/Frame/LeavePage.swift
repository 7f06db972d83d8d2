/// Asks before a browser logs out that has sessions of its own: it does not find them again.
package struct LeavePage: Sendable {
    /// A session of the browser.
    package struct Session: Hashable, Sendable {
        package var id: String
        package var configuration: String

        package init(_ id: String, configuration: String) {
            self.id = id
            self.configuration = configuration
        }
    }

    package var sessions: [Session]
    /// After how long without their browser the sessions are closed, such as `8 h`.
    package var rest: String

    package init(_ sessions: [Session], rest: String) {
        self.sessions = sessions
        self.rest = rest
    }

    /// The document.
    package func html(in frame: PageFrame) -> String {
        let title = "Log out?"
        return frame.document(title: title, here: "Log out") { writer in
            writer.element(.main, .class("message")) { writer in
                writer.element(.h1, text: title)
                writer.element(
                    .p,
                    text: sessions.count == 1
                        ? "This browser has a session of its own:"
                        : "This browser has \(sessions.count) sessions of its own:")
                writer.element(.ul) { writer in
                    for session in sessions {
                        writer.element(.li) { writer in
                            writer.element(.a, .href(.page(PagePath.session(session.id)))) { writer in
                                writer.isolated(session.configuration)
                            }
                            writer.element(.span, .class("detail")) { writer in
                                writer.text(" ")
                                writer.isolated(session.id)
                            }
                        }
                    }
                }
                writer.element(
                    .p,
                    text: """
                        Once you have logged out, it gets new ones. What is here stays open for those who see all \
                        sessions, and is closed after \(rest) at the latest if nobody looks at it.
                        """)
                writer.element(.form, .class("actions"), .post, .action(.page(PagePath.logout))) { writer in
                    writer.void(.input, .type(.hidden), .name(.token), .value(frame.token))
                    writer.void(.input, .type(.hidden), .name(.confirmed), .value("1"))
                    writer.element(.button, .type(.submit), .class("main"), text: "Log out")
                    writer.element(.a, .class("button"), .href(.page(PagePath.application)), text: "Cancel")
                }
            }
        }
    }
}
