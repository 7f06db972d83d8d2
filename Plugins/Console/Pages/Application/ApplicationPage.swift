/// The page at the start: all of the application, or one part of it.
package struct ApplicationPage: Sendable {
    /// What is known of the host.
    package var host: [ThingFact]
    package var tables: [ThingTable]
    package var traffic: TrafficPicture
    package var query: ListQuery
    /// The configurations of which the reader can open a session of their own.
    package var own: [String] = []
    /// Why what is shown may be out of date, such as that the host is away; `nil` if it is not.
    package var problem: String?

    package init(
        host: [ThingFact], tables: [ThingTable], traffic: TrafficPicture = .init(), query: ListQuery = .init(),
        problem: String? = nil
    ) {
        self.host = host
        self.tables = tables
        self.traffic = traffic
        self.query = query
        self.problem = problem
    }

    /// The document. It loads itself again every few seconds.
    package func html(in frame: PageFrame) -> String {
        let title = query.only?.title ?? frame.application
        return frame.document(
            title: query.only == nil ? "" : title, here: query.only?.title, reload: true
        ) { writer in
            PageFrame.connection(to: &writer)
            writer.element(.main, .class("overview"), .reloads) { writer in
                if let problem {
                    writer.element(.p, .class("problem"), .role(.alert), .automaticDirection, text: problem)
                }
                writer.element(.div, .class("bar")) { writer in
                    writer.element(.h1, .automaticDirection, text: title)
                    writer.search(
                        query, at: PagePath.application, for: "Search \(query.only?.rawValue ?? "everything")")
                    parts(to: &writer)
                }
                if let only = query.only {
                    for table in tables where table.part == only {
                        writer.things(table, query, at: PagePath.application, isWhole: true, title: nil)
                    }
                } else {
                    all(to: &writer)
                }
            }
        }
    }

    private func parts(to writer: inout HTMLWriter) {
        writer.element(.nav, .class("tabs"), .label("Parts of the application")) { writer in
            writer.element(
                .a, .href(.page(query.showing(nil).address(PagePath.application))), .current(query.only == nil),
                text: "All")
            for table in tables {
                let address = query.showing(table.part).address(PagePath.application)
                writer.element(.a, .href(.page(address)), .current(query.only == table.part)) { writer in
                    writer.text(table.part.title)
                    let isWarning = table.part == .problems && !table.rows.isEmpty
                    writer.element(
                        .span, .class("count"), isWarning ? .level("error") : nil, text: "\(table.rows.count)")
                }
            }
        }
    }

    private func all(to writer: inout HTMLWriter) {
        let isSearch = !query.text.isEmpty
        if !isSearch {
            writer.element(.section, .key(PageKey("host")), .id(PageID("host"))) { writer in
                writer.element(.h2, .class("unseen"), text: "Host")
                writer.facts(host)
            }
        }
        for table in tables {
            // A search shows what it has found, and what is well needs no table.
            let isShown =
                isSearch || table.part == .problems ? !table.selection(query, isWhole: false).rows.isEmpty : true
            if isShown {
                writer.things(table, query, at: PagePath.application, isWhole: false, title: table.part.title)
            }
            if table.part == .sessions, !isSearch { writer.links(toOpen: own) }
            if table.part == .problems, !isSearch { writer.traffic(traffic) }
        }
        if isSearch, tables.allSatisfy({ $0.selection(query, isWhole: false).rows.isEmpty }) {
            writer.element(
                .p, .class("empty"), .automaticDirection, text: "Nothing has ‘\(query.text)’ in it.")
        }
    }
}

extension ListQuery.Part {
    package var title: String {
        switch self {
        case .problems: "Problems"
        case .sessions: "Sessions"
        case .workers: "Workers"
        case .plugins: "Plugins"
        case .entries: "Entries"
        }
    }
}
