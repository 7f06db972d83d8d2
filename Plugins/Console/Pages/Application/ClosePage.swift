/// Asks whether a session is to be closed. It works without a script, and names the session.
package struct ClosePage: Sendable {
    package var session: String
    /// What readers know the session by; `nil` for its identifier.
    package var name: String?
    package var configuration: String

    package init(_ session: String, name: String?, configuration: String) {
        self.session = session
        self.name = name
        self.configuration = configuration
    }

    /// The document.
    package func html(in frame: PageFrame) -> String {
        let shown = name ?? session
        let frame = frame.below(.list(of: .sessions), .session(session, name: name))
        return frame.document(title: "Close \(shown)?", here: "Close") { writer in
            writer.element(.main, .class("message")) { writer in
                writer.element(.h1, .automaticDirection, text: "Close \(shown)?")
                writer.element(.p) { writer in
                    writer.text("The session ")
                    writer.isolated(session)
                    writer.text(" of ")
                    writer.isolated(configuration)
                    writer.text(
                        " ends for all who look at it, and what its scene has kept is deleted. This cannot be undone.")
                }
                writer.element(.form, .class("actions"), .post, .action(.page(PagePath.close(session)))) { writer in
                    writer.void(.input, .type(.hidden), .name(.token), .value(frame.token))
                    writer.element(
                        .button, .type(.submit), .class("destructive"), .automaticDirection, text: "Close \(shown)")
                    writer.element(.a, .class("button"), .href(.page(PagePath.session(session))), text: "Cancel")
                }
            }
        }
    }
}
