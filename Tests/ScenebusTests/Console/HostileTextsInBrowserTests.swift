// A build without the trait has no console.
#if Console
    import Foundation
    import HostileTexts
    import Testing

    extension PluginProcessTests {
        /// Hostile texts in a real browser, which has the last word on what is markup.
        @Suite(.timeLimit(.minutes(5)), .enabled(if: Browser.obstacle == nil, "\(Browser.obstacle ?? "")"))
        struct HostileTextsInBrowserTests: PageOfBlocks {
            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            /// Notes in each page what the browser refuses there, and what would ask its reader something.
            private static let witness = """
                window.noted = [];
                addEventListener('securitypolicyviolation', ({ effectiveDirective, sample }) => {
                  noted.push(effectiveDirective + ' ' + sample);
                });
                for (const name of ['alert', 'confirm', 'prompt']) window[name] = () => noted.push(name);
                """
            /// The elements that no page of the console has, or that do what none of its elements does.
            private static let harm = """
                [
                  ...document.querySelectorAll('iframe, object, embed, base, dialog, #scene script, #scene style'),
                  ...[...document.querySelectorAll('*')].filter(
                    (one) => one.getAttributeNames().some((name) => name.startsWith('on'))),
                  ...[...document.images].filter((one) => !one.src.startsWith(location.origin + '/scenes/')),
                  ...[...document.links].filter((one) => !/^https?:$/.test(one.protocol)),
                ].map((one) => one.outerHTML).join()
                """
            private static let isShown = "document.querySelector('h1')?.textContent === '\(HostileTexts.title)'"

            @Test("Whatever a scene says is a text, in a page that changes and in one that is loaded")
            func texts() async throws {
                try await installation.withBlocks { session in
                    try await Browser.run(in: installation) { browser in
                        try await browser.perform("Page.addScriptToEvaluateOnNewDocument", ["source": Self.witness])
                        try await installation.openBlocks(session, in: browser)
                        #expect(try await browser.value(of: "noted.join()") == "")
                        let scripts = try await browser.value(of: "document.scripts.length")
                        // Something is refused, which shows that the witness is there.
                        _ = try await browser.value(
                            of: "(() => { try { document.createElement('p').innerHTML = '<b>'; } catch {} })()")
                        try await browser.until("noted.length > 0")
                        _ = try await browser.value(of: "(noted.length = 0)")
                        for action in ["back", "hostile"] {
                            let acted = try await installation.scenebus("scene", "act", session, action)
                            #expect(acted.code == 0, "\(acted.error)")
                        }
                        try await browser.until(Self.isShown)
                        try await expectTexts(in: browser, scripts: scripts)
                        try await act(browser)
                        try await browser.command("refresh", [:])
                        try await browser.until(Self.isShown)
                        try await expectTexts(in: browser, scripts: scripts)
                    }
                }
            }

            /// - Parameter scripts: how many a harmless page has.
            private func expectTexts(in browser: Browser, scripts: String) async throws {
                // Of the others, signs that nobody sees or that move what follows are shown as another one.
                let texts = HostileTexts.all.filter { !$0.isEmpty && $0.utf8.allSatisfy { 0x20..<0x7F ~= $0 } }
                let missing = try await browser.value(
                    of: """
                        ((all) => \(String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)).filter(
                          (text) => !all.includes(text)).join(' and ')
                        )([...document.querySelectorAll('#scene .block.text')].map((one) => one.textContent))
                        """)
                #expect(missing == "")
                #expect(try await browser.value(of: "document.images.length > 10") == "true")
                #expect(try await browser.value(of: "document.title").hasPrefix(HostileTexts.title))
                #expect(try await browser.value(of: "document.scripts.length") == scripts)
                #expect(try await browser.value(of: Self.harm) == "")
                #expect(try await browser.value(of: "noted.join()") == "")
            }

            /// What the script writes itself is a text, too: a question before an action, and why one was refused.
            private func act(_ browser: Browser) async throws {
                try await browser.click(button("ask"))
                try await browser.until(
                    "document.querySelector('dialog p')?.textContent === '\(HostileTexts.title)'")
                try await browser.click("dialog button[value='']")
                try await browser.until("document.querySelector('dialog') === null")
                try await browser.click(button("refuse"))
                try await browser.until("document.getElementById('notice').textContent === '\(HostileTexts.title)'")
                #expect(try await browser.value(of: Self.harm) == "")
                #expect(try await browser.value(of: "noted.join()") == "")
            }
        }
    }
#endif
