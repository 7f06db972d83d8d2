/// What all pages share: the header, and what the browser has to know of its reader.
package struct PageFrame: Hashable, Sendable {
    /// The application's name.
    package var application: String
    /// Who reads the page; `nil` before the login.
    package var reader: String?
    /// Is posted with each form as `token`, so that other sites cannot post in the reader's name.
    package var token: String
    /// Whether the page hangs on a wall: without the header, in larger type.
    package var isWall: Bool

    package init(application: String, reader: String? = nil, token: String = "", isWall: Bool = false) {
        self.application = application
        self.reader = reader
        self.token = token
        self.isWall = isWall
    }

    /// Makes a document with the header.
    /// - Parameters:
    ///   - title: what the page is about; empty for nothing.
    ///   - reload: whether a browser that runs no script loads the page again from time to time.
    func document(title: String, reload: Bool = false, body: (inout HTMLWriter) -> Void) -> String {
        HTMLWriter.document(
            title: title.isEmpty ? application : "\(title) · \(application)", isWall ? .class("wall") : nil,
            .application(application), .token(token), reload: reload
        ) { writer in
            if !isWall { header(to: &writer) }
            body(&writer)
        }
    }

    private func header(to writer: inout HTMLWriter) {
        writer.element(.header, .class("top")) { writer in
            writer.element(.a, .href(.page(PagePath.application)), .automaticDirection, text: application)
            guard let reader else { return }
            writer.element(.form, .post, .action(.page(PagePath.logout))) { writer in
                writer.void(.input, .type(.hidden), .name(.token), .value(token))
                writer.isolated(reader)
                writer.element(.button, .type(.submit), .class("quiet"), text: "Leave the console")
            }
        }
    }

    /// Writes the line in which the script says that the page is not connected. It is there from the start, so that readers of
    /// the screen hear when its text comes.
    static func connection(to writer: inout HTMLWriter) {
        writer.element(.div, .id(PageID("connection"))) { writer in
            writer.element(.p, .class("state")) { writer in
                writer.element(.strong, .role(.status))
                writer.element(.span)
            }
        }
    }
}
