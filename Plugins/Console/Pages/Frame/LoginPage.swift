/// The page for those who are not logged in.
package struct LoginPage: Sendable {
    /// Why the page is shown.
    package enum Reason: Hashable, Sendable, CaseIterable {
        /// The reader has no session of the console.
        case notLoggedIn
        /// The link that logs in was used before, or is too old.
        case linkExpired
        /// The reader has logged out.
        case loggedOut
    }

    package var reason: Reason
    /// The command that prints a new link, such as `scenebus console link`.
    package var command: String

    package init(_ reason: Reason, command: String) {
        self.reason = reason
        self.command = command
    }

    /// The document.
    package func html(in frame: PageFrame) -> String {
        let title: String
        let text: String
        switch reason {
        case .notLoggedIn: (title, text) = ("Log in", "These pages are open to those who have a link to log in.")
        case .linkExpired:
            (title, text) = ("This link no longer works", "A link to log in works once, and not for long.")
        case .loggedOut: (title, text) = ("You have logged out", "To come back, you need a new link.")
        }
        return frame.document(title: title) { writer in
            writer.element(.main, .class("message")) { writer in
                writer.element(.h1, text: title)
                writer.element(.p, text: text)
                writer.element(
                    .p,
                    text:
                        "This command prints one on the application's machine. Without access to it, ask whoever runs it."
                )
                writer.element(.p) { $0.element(.code, text: command) }
            }
        }
    }
}
