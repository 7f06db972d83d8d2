/// A page that says why there is no other: what was asked for does not exist, or may not be shown.
package struct MessagePage: Sendable {
    package var title: String
    package var text: String
    /// Whether the page leads to that of the application.
    package var leadsBack: Bool

    package init(title: String, text: String, leadsBack: Bool = true) {
        self.title = title
        self.text = text
        self.leadsBack = leadsBack
    }

    /// There is nothing at an address.
    package static let notFound = MessagePage(
        title: "Not found", text: "There is no page at this address. The session may have been closed.")

    /// The reader may not see or do something.
    package static func refused(_ reason: String) -> MessagePage { MessagePage(title: "Not allowed", text: reason) }

    /// The document. On a wall it loads itself again every few seconds, until there is another page.
    package func html(in frame: PageFrame) -> String {
        frame.document(title: title, here: title, reload: frame.isWall) { writer in
            writer.element(.main, .class("message"), frame.isWall ? .reloads : nil) { writer in
                writer.element(.h1, .automaticDirection, text: title)
                writer.element(.p, .automaticDirection, text: text)
                if leadsBack, !frame.isWall {
                    writer.element(.a, .class("button"), .href(.page(PagePath.application)), text: "To the application")
                }
            }
        }
    }
}
