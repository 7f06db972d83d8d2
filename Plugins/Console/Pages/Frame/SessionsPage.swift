package import SceneContent

/// The page at the start: the sessions, and how the application is.
package struct SessionsPage: Sendable {
    /// A session, as the list has it.
    package struct Session: Hashable, Sendable {
        package var id: String
        package var configuration: String
        package var state: String
        /// Whether its scene runs.
        package var isLive: Bool
        /// Why it does not; `nil` when there is no problem.
        package var problem: String?
        /// The worker that runs it; `nil` for none.
        package var worker: String?

        package init(
            id: String, configuration: String, state: String, isLive: Bool, problem: String? = nil,
            worker: String? = nil
        ) {
            self.id = id
            self.configuration = configuration
            self.state = state
            self.isLive = isLive
            self.problem = problem
            self.worker = worker
        }
    }

    /// More about the application, such as its workers, plugins or problems.
    package struct Part: Hashable, Sendable {
        package var title: String
        /// The rows. Its placeholder says what to do next if there are none.
        package var table: TableBlock

        package init(_ title: String, table: TableBlock) {
            self.title = title
            self.table = table
        }
    }

    package var sessions: [Session]
    /// The configurations of which the reader can open a session of their own.
    package var own: [String] = []
    /// What to do next if there is no session.
    package var placeholder: String
    package var parts: [Part]
    /// Why the list may be out of date, such as that the host is away; `nil` if it is not.
    package var problem: String?

    package init(sessions: [Session], placeholder: String, parts: [Part] = [], problem: String? = nil) {
        self.sessions = sessions
        self.placeholder = placeholder
        self.parts = parts
        self.problem = problem
    }

    /// The document. It loads itself again every few seconds.
    package func html(in frame: PageFrame) -> String {
        frame.document(title: "Sessions", reload: true) { writer in
            PageFrame.connection(to: &writer)
            writer.element(.main, .class("overview"), .reloads) { writer in
                if let problem {
                    writer.element(.p, .class("problem"), .role(.alert), .automaticDirection, text: problem)
                }
                writer.element(.h1, text: "Sessions")
                list(to: &writer)
                links(to: &writer)
                let place = LayerPlace(key: PageKey("parts"), access: .view)
                for (index, part) in parts.enumerated() {
                    writer.element(.h2, .automaticDirection, text: part.title)
                    writer.table(part.table, key: PageKey("\(index)"), in: place)
                }
            }
        }
    }

    private func links(to writer: inout HTMLWriter) {
        guard !own.isEmpty else { return }
        writer.element(.p, .class("actions")) { writer in
            for configuration in own {
                writer.element(.a, .class("button"), .href(.page(PagePath.open(configuration)))) { writer in
                    writer.text("Open your own ")
                    writer.isolated(configuration)
                }
            }
        }
    }

    private func list(to writer: inout HTMLWriter) {
        guard !sessions.isEmpty else {
            writer.element(.p, .class("empty"), .automaticDirection, text: placeholder)
            return
        }
        writer.element(.ul, .class("sessions"), .role(.list)) { writer in
            for session in sessions {
                writer.element(.li, .key(PageKey(session.id)), .live(session.isLive)) { writer in
                    writer.element(
                        .a, .href(.page(SceneAddress.scene(session.id).path)), .class("title"), .automaticDirection,
                        text: session.id)
                    writer.element(.span, .class("detail")) { writer in
                        writer.isolated(session.configuration)
                        if let worker = session.worker {
                            writer.text(" on ")
                            writer.isolated(worker)
                        }
                    }
                    writer.element(.strong, .class("badge"), .automaticDirection, text: session.state)
                    if let problem = session.problem {
                        writer.element(.p, .class("problem"), .automaticDirection, text: problem)
                    }
                }
            }
        }
    }
}
