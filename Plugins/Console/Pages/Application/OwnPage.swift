/// The page at the start for those who see their own sessions, and nothing else of the application.
package struct OwnPage: Sendable {
    package var table: ThingTable
    package var query: ListQuery
    /// The configurations of which the reader can open a session.
    package var open: [String]
    /// Why what is shown may be out of date; `nil` if it is not.
    package var problem: String?

    package init(_ table: ThingTable, query: ListQuery, open: [String], problem: String?) {
        self.table = table
        self.query = query
        // There is one list, and nothing to search in.
        (self.query.only, self.query.text) = (nil, "")
        self.open = open
        self.problem = problem
    }

    /// The document. It loads itself again every few seconds.
    package func html(in frame: PageFrame) -> String {
        frame.document(title: "", here: nil, reload: true) { writer in
            PageFrame.connection(to: &writer)
            writer.element(.main, .class("overview"), .reloads) { writer in
                if let problem {
                    writer.element(.p, .class("problem"), .role(.alert), .automaticDirection, text: problem)
                }
                writer.element(.div, .class("bar")) { writer in
                    writer.element(.h1, .automaticDirection, text: frame.application)
                }
                writer.things(table, query, at: PagePath.application, isWhole: true, title: nil)
                writer.links(toOpen: open)
            }
        }
    }
}

extension HTMLWriter {
    /// Writes the links that lead readers to sessions of their own.
    mutating func links(toOpen configurations: [String]) {
        guard !configurations.isEmpty else { return }
        element(.p, .class("actions"), .key(PageKey("own"))) { writer in
            for configuration in configurations {
                writer.element(.a, .class("button"), .href(.page(PagePath.open(configuration)))) { writer in
                    writer.text("Open your own ")
                    writer.isolated(configuration)
                }
            }
        }
    }
}
