import SceneContent

/// The page of one thing, such as a worker, or of one list.
package struct ThingPage: Sendable {
    package var title: String
    /// What it is, such as `Worker`.
    package var kind: String
    /// The page's own path.
    package var path: String
    /// The part of the application that it belongs to.
    package var part: ListQuery.Part
    package var facts: [ThingFact]
    package var table: ThingTable?
    package var query: ListQuery
    /// A long text, such as the value of an entry.
    package var text: String?
    /// Something to do, and the path that leads there.
    package var action: (label: String, path: String)?
    /// Something that cannot be undone, and the path of the page that asks before; `nil` for nothing.
    package var ending: (label: String, path: String)?
    package var problem: String?
    /// What the reader should know, with what to do, of what is no error.
    package var remark: String?

    package init(
        _ title: String, kind: String, path: String, part: ListQuery.Part, facts: [ThingFact] = [],
        table: ThingTable? = nil, query: ListQuery = .init(), text: String? = nil,
        action: (label: String, path: String)? = nil, problem: String? = nil
    ) {
        self.title = title
        self.kind = kind
        self.path = path
        self.part = part
        self.facts = facts
        self.table = table
        self.query = query
        self.text = text
        self.action = action
        self.problem = problem
    }

    /// The document. It loads itself again every few seconds.
    package func html(in frame: PageFrame) -> String {
        // A list of all things of a kind has no others above it.
        let frame = kind.isEmpty ? frame : frame.below(.list(of: part))
        return frame.document(title: title, here: title, reload: true) { writer in
            PageFrame.connection(to: &writer)
            writer.element(.main, .class("overview thing"), .reloads) { writer in
                if let problem {
                    writer.element(.p, .class("problem"), .role(.alert), .automaticDirection, text: problem)
                }
                if let remark {
                    writer.element(
                        .p, .class("problem"), .level("warning"), .automaticDirection, text: remark)
                }
                writer.element(.div, .class("bar")) { writer in
                    writer.element(.h1) { writer in
                        if !kind.isEmpty { writer.element(.span, .class("kind"), text: kind + " ") }
                        writer.isolated(title)
                    }
                    if table != nil { writer.search(query, at: path, for: "Search \(table?.part.rawValue ?? "")") }
                    if let action {
                        writer.element(.a, .class("button"), .href(.page(action.path)), text: action.label)
                    }
                    if let ending {
                        writer.element(.a, .class("button destructive"), .href(.page(ending.path)), text: ending.label)
                    }
                }
                if !facts.isEmpty { writer.facts(facts) }
                if let text { whole(text, to: &writer) }
                if let table { writer.things(table, query, at: path, isWhole: true, title: nil) }
            }
        }
    }

    /// The length of a text that a page shows, in bytes.
    package static let maximumText = 256 << 10

    private func whole(_ text: String, to writer: inout HTMLWriter) {
        writer.element(.code, .class("whole"), .key(PageKey("text")), .automaticDirection) { writer in
            // What is written at once is cut at the length that a text of a scene may have.
            var rest = Substring(text.cut(toBytes: Self.maximumText))
            while !rest.isEmpty {
                let piece = rest.prefix(2000)
                writer.text(String(piece))
                rest = rest[piece.endIndex...]
            }
        }
        if text.utf8.count > Self.maximumText {
            writer.element(
                .p, .class("hint"), text: "This is its beginning. 'scenebus deps get' prints the whole value.")
        }
    }
}

extension PageFrame.Step {
    /// The page with a whole list.
    package static func list(of part: ListQuery.Part) -> PageFrame.Step {
        var all = ListQuery()
        all.only = part
        return PageFrame.Step(part.title, all.address(PagePath.application))
    }

    /// The page of a session.
    package static func session(_ id: String, name: String?) -> PageFrame.Step {
        PageFrame.Step(name ?? id, PagePath.session(id))
    }
}
