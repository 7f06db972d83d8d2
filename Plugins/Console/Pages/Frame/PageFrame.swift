/// What all pages share: the header, and what the browser has to know of its reader.
package struct PageFrame: Hashable, Sendable {
    /// A page above another one.
    package struct Step: Hashable, Sendable {
        package var title: String
        /// Where it leads.
        package var path: String

        package init(_ title: String, _ path: String) {
            self.title = title
            self.path = path
        }
    }

    /// The application's name.
    package var application: String
    /// Who reads the page; `nil` before the login.
    package var reader: String?
    /// Is posted with each form as `token`, so that other sites cannot post in the reader's name.
    package var token: String
    /// Whether the page hangs on a wall: without the header, in larger type.
    package var isWall: Bool
    /// The pages above this one, below that of the application.
    package var trail: [Step] = []
    /// The name of what the page belongs to, such as a session's; `nil` if it has none. It stands in the titles of pages.
    package var place: String?

    package init(application: String, reader: String? = nil, token: String = "", isWall: Bool = false) {
        self.application = application
        self.reader = reader
        self.token = token
        self.isWall = isWall
    }

    /// The frame of a page below others.
    package func below(_ steps: Step...) -> PageFrame {
        var frame = self
        frame.trail += steps
        return frame
    }

    /// Makes a document with the header.
    /// - Parameters:
    ///   - title: what the page is about; empty for nothing.
    ///   - here: how the page is called in the header, after those above it; `nil` for the page of the application, and before
    ///     the login.
    ///   - reload: whether a browser that runs no script loads the page again from time to time.
    func document(
        title: String, here: String?, reload: Bool = false, body: (inout HTMLWriter) -> Void
    ) -> String {
        let site = place.map { "\($0) · \(application)" } ?? application
        return HTMLWriter.document(
            title: title.isEmpty ? site : "\(title) · \(site)", isWall ? .class("wall") : nil,
            .application(site), .token(token), reload: reload
        ) { writer in
            if !isWall { header(here, to: &writer) }
            body(&writer)
        }
    }

    private func header(_ here: String?, to writer: inout HTMLWriter) {
        writer.element(.header, .class("top")) { writer in
            way(to: here, &writer)
            guard let reader else { return }
            writer.element(.form, .post, .action(.page(PagePath.logout))) { writer in
                writer.void(.input, .type(.hidden), .name(.token), .value(token))
                writer.isolated(reader)
                writer.element(.button, .type(.submit), .class("quiet"), text: "Log out")
            }
        }
    }

    /// Writes the pages above this one, and its own name. The last of them is one level up, also for a key of the keyboard.
    private func way(to here: String?, _ writer: inout HTMLWriter) {
        let above = here == nil ? [] : [Step(application, PagePath.application)] + trail
        writer.element(.nav, .class("way"), .label("Where you are")) { writer in
            for (number, step) in above.enumerated() {
                let isUp = number == above.count - 1
                writer.element(
                    .a, .href(.page(step.path)), isUp ? .up : nil, isUp ? .shortcut("Alt+ArrowUp") : nil,
                    isUp ? .tip("One level up: Alt + ↑") : nil, .automaticDirection, text: step.title)
            }
            if let here {
                writer.element(.span, .current(true), .automaticDirection, text: here)
            } else {
                writer.element(
                    .a, .href(.page(PagePath.application)), .current(reader != nil), .automaticDirection,
                    text: application)
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
