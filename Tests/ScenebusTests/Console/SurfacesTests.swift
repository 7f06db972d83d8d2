// A build without the trait has no console.
#if Console
    import Foundation
    import TestKit
    import Testing

    extension PluginProcessTests {
        /// All surfaces beside each other.
        @Suite(.timeLimit(.minutes(5)), .enabled(if: Browser.obstacle == nil, "\(Browser.obstacle ?? "")"))
        struct SurfacesTests {
            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            @Test("A page, a terminal and a text for programs say the same of every block")
            func same() async throws {
                try await installation.withBlocks { session in
                    let blocks = try await blocks(of: session)
                    #expect(
                        Set(blocks.map(\.type)) == [
                            "section", "text", "facts", "list", "table", "meter", "chart", "image", "field", "action",
                            "link", "stars",
                        ])
                    let text = Said(try await installation.scenebus("scene", "show", session).output)
                    let terminal = Said(try await terminal(session))
                    var page = Said("")
                    try await Browser.run(in: installation) { browser in
                        try await installation.openBlocks(session, in: browser)
                        let values = "[...document.querySelectorAll('.field [name]')].map((field) => field.value)"
                        let images = "[...document.images].map((image) => image.alt)"
                        let times = "[...document.querySelectorAll('time')].map((time) => time.dateTime)"
                        page = Said(
                            try await browser.value(
                                of: "[document.body.innerText, \(values), \(times), \(images)].join(' ')"))
                    }
                    for block in blocks {
                        for said in block.texts {
                            #expect(page.has(said) && terminal.has(said) && text.has(said), "\(block): \(said)")
                        }
                    }
                    let figures = [
                        "3.0 GiB", "1000", "12.5 %", "46.0 %", "97.0 %", "2026-11-29", "14:30", "3 of 9120",
                    ]
                    for said in figures { #expect(page.has(said) && terminal.has(said) && text.has(said), "\(said)") }
                    // A page has a time for its reader's zone, and the point in time with it.
                    #expect(page.has("2025-11-29T14:30:00Z"))
                    #expect(terminal.has("2025-11-29 14:30:00 UTC") && text.has("2025-11-29 14:30:00 UTC"))
                }
            }

            /// What a surface says, however it breaks its lines and writes its capitals.
            private struct Said {
                private let text: String

                init(_ text: String) { self.text = Self.letters(text) }

                private static func letters(_ text: String) -> String { text.lowercased().filter { !$0.isWhitespace } }

                func has(_ text: String) -> Bool { self.text.contains(Self.letters(text)) }
            }

            /// What a program that watches gets, which is what all surfaces draw.
            private func blocks(of session: String) async throws -> [ShownBlock] {
                let file = "\(installation.folder)/watched"
                let command = "exec \(Installation.executables)/scenebus scene watch \(session) --json > \(file)"
                var line = ""
                _ = try await installation.run("sh", ["-c", command]) { watch in
                    try await until("a line is printed") {
                        line = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
                        return line.contains("\n")
                    }
                    try watch.send(SIGTERM)
                }
                let first = try #require(line.split(separator: "\n").first)
                let scene = try JSONDecoder().decode(ShownScene.self, from: Data(first.utf8))
                return try #require(scene.content.layers.values.first).blocks.values.map { $0 }
            }

            /// What a terminal shows that is large enough for all of it.
            private func terminal(_ session: String) async throws -> String {
                let terminal = try PseudoTerminal()
                try terminal.resize(columns: 500, rows: 150)
                var shown = ""
                let scenebus = "TERM=xterm \(Installation.executables)/scenebus"
                _ = try await installation.run(
                    "setsid",
                    [
                        "--wait", "sh", "-c",
                        "exec < \(terminal.path) > \(terminal.path) 2>&1; \(scenebus) scene attach \(session)",
                    ]
                ) { _ in
                    @Sendable func drawn(_ output: String) -> String {
                        var screen = DrawnTerminal(columns: 500, rows: 150)
                        screen.draw(output)
                        return screen.rows.joined(separator: "\n")
                    }
                    shown = drawn(
                        try await terminal.shown(until: "the last action") { drawn($0).contains("no printer") })
                    try terminal.type("\u{3}")
                    try await terminal.shown(until: "\u{1B}[?1049l")
                }
                return shown
            }
        }
    }

    private struct ShownScene: Decodable {
        struct Content: Decodable { var layers: [String: Layer] }
        struct Layer: Decodable { var blocks: [String: ShownBlock] }

        var content: Content
    }

    /// The texts of a block, whatever its type.
    private struct ShownBlock: Decodable {
        private struct Part: Decodable {
            var title, label, detail, badge, name: String?
            var value: Text?
            var cells: [Text]?
        }

        /// A text, or a quantity, which each surface writes in its own way.
        private struct Text: Decodable {
            let text: String?
            init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
        }

        var type: String
        private var title, text, label, detail, placeholder, hint, error, off, level: String?
        private var rows, series: [String: Part]?
        private var columns: [Part]?

        /// What every surface says.
        var texts: [String] {
            let parts = [rows, series].compactMap { $0 }.flatMap(\.values)
            let texts = parts.flatMap { part in
                [part.title, part.label, part.detail, part.badge, part.value?.text]
                    + (part.cells ?? []).map(\.text)
            }
            // A link's text is for those who do not know links.
            let own = [title, type == "link" ? nil : text, label, detail, rows?.isEmpty == true ? placeholder : nil]
            let notes = [hint, error, off, level.map { "\($0): \(text ?? "")" }]
            return (own + texts + notes + (columns ?? []).map(\.name)).compactMap { $0 }
        }
    }
#endif
