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
    /// The command that prints a new link, such as `scenebus request consoleLink`.
    package var command: String
    /// The path of the page that was asked for, to which the form leads; `nil` for none.
    package var asked: String?
    /// Whether users log in with their name and password.
    package var hasForm = false
    /// Why a user was not logged in; `nil` before a try.
    package var problem: String?

    package init(_ reason: Reason, command: String) {
        self.reason = reason
        self.command = command
    }

    /// The document.
    package func html(in frame: PageFrame) -> String {
        let title: String
        let text: String
        switch reason {
        case .notLoggedIn:
            (title, text) = (
                "Log in",
                hasForm
                    ? "With your name and your password, or with a link that you have been given."
                    : "You need a link for this. Ask whoever looks after these pages for one."
            )
        case .linkExpired:
            (title, text) = (
                "This link no longer works",
                "A link to log in works once, and not for long. Ask whoever has given it to you for a new one."
            )
        case .loggedOut:
            (title, text) = (
                "You have logged out",
                hasForm
                    ? "To come back, log in again."
                    : "To come back, you need a new link. Ask whoever looks after these pages for one."
            )
        }
        return frame.document(title: title, here: nil) { writer in
            writer.element(.main, .class("message")) { writer in
                writer.element(.h1, text: title)
                writer.element(.p, text: text)
                if hasForm { form(to: &writer) }
                // Most readers have no command line, and this says nothing to them.
                writer.element(.details) { writer in
                    writer.element(.summary, text: "For whoever runs the application")
                    writer.element(.p, text: "This command prints a link, on the application's machine:")
                    writer.element(.p) { $0.element(.code, text: command) }
                }
            }
        }
    }

    /// Writes the form. Nothing of a try is in it: a password that was typed for the name must not be shown.
    private func form(to writer: inout HTMLWriter) {
        if let problem {
            writer.element(.p, .class("problem"), .role(.alert), .automaticDirection, text: problem)
        }
        writer.element(.form, .class("login"), .post, .action(.page(PagePath.login))) { writer in
            if let asked { writer.void(.input, .type(.hidden), .name(.asked), .value(asked)) }
            for (id, label, type, name, kind) in [
                (PageID("username"), "User name", HTMLAttribute.InputType.text, FormName.username, "username"),
                (PageID("password"), "Password", .password, .password, "current-password"),
            ] as [(PageID, String, HTMLAttribute.InputType, FormName, StaticString)] {
                writer.element(.div, .class("field")) { writer in
                    writer.element(.label, .for(id), text: label)
                    writer.void(.input, .id(id), .type(type), .name(name), .remembered(as: kind), .required(true))
                }
            }
            writer.element(.button, .type(.submit), .class("main"), text: "Log in")
        }
    }
}
