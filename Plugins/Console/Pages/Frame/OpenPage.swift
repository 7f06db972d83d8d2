/// Asks whether a session is to be opened, where something else than a page of the console has led: a page of another site could
/// open sessions in the reader's name otherwise.
package struct OpenPage: Sendable {
    /// The scene configuration.
    package var configuration: String

    package init(configuration: String) { self.configuration = configuration }

    /// The document.
    package func html(in frame: PageFrame) -> String {
        frame.document(title: configuration, here: configuration) { writer in
            writer.element(.main, .class("message")) { writer in
                writer.element(.h1, .automaticDirection, text: configuration)
                writer.element(
                    .p, text: "A link has led you here. You have no session of this of your own yet: open one?")
                writer.element(
                    .form, .class("actions"), .post, .action(.page(PagePath.open(configuration)))
                ) { writer in
                    writer.void(.input, .type(.hidden), .name(.token), .value(frame.token))
                    writer.element(.button, .type(.submit), .class("main"), text: "Open a session")
                    writer.element(.a, .class("button"), .href(.page(PagePath.application)), text: "Cancel")
                }
            }
        }
    }
}
