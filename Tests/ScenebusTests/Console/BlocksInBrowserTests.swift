// A build without the trait has no console.
#if Console
    import Foundation
    import Testing

    extension PluginProcessTests {
        /// Every block in a real browser.
        @Suite(.timeLimit(.minutes(5)), .enabled(if: Browser.obstacle == nil, "\(Browser.obstacle ?? "")"))
        struct BlocksInBrowserTests: PageOfBlocks {
            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            @Test("Every block can be used as a person does")
            func use() async throws {
                try await installation.withBlocks { session in
                    try await Browser.run(in: installation) { browser in
                        try await installation.openBlocks(session, in: browser)
                        try await fillIn(browser)
                        try await selectRows(browser)
                        try await act(browser)
                        try await goElsewhere(browser)
                    }
                }
            }

            private func fillIn(_ browser: Browser) async throws {
                try await browser.type("Mei & Åse", into: field("guest"))
                // What is typed is stored at once, so its error is shown before an action sends it.
                try await browser.type("\(Browser.Key.backspace)04", into: field("nights"))
                // The scene writes it another way, which does not get in the way of who types on.
                try await browser.until("document.activeElement.defaultValue === '4'")
                #expect(try await browser.value(of: "document.activeElement.value") == "04")
                try await browser.type("1", into: field("nights"))
                try await browser.until("document.querySelector('.error')?.innerText === '30 nights at most'")
                #expect(try await browser.value(of: "document.activeElement.value") == "041")
                try await browser.type("one\ntwo", into: field("notes"))
                #expect(try await browser.value(of: "document.querySelector(\"\(field("nights"))\").value") == "41")
                try await browser.type("4711", into: field("door-code"))
                try await browser.type("The cake", into: field("meal"))
                try await browser.click(field("late"))
                try await browser.type("12242026", into: field("day"))
                try await browser.type("0915AM", into: field("hour"))
                try await browser.click(button("book"))
                try await browser.until(
                    shows("Mei & Åse, 41, one/two, a code of 4, cake, late, 2026-12-24, 09:15"))
                // The secret goes with the action, and is not kept in the page.
                try await browser.until("document.querySelector(\"\(field("door-code"))\").value === ''")
            }

            private func selectRows(_ browser: Browser) async throws {
                try await browser.click(button("line:2"))
                try await browser.until(shows("line 2"))
                try await browser.click(button("cell:3"))
                try await browser.until(shows("cell 3"))
                let keys = "[...document.querySelectorAll('.list li')].map((row) => row.dataset.key).join()"
                #expect(try await browser.value(of: keys) == "1,2,3")
                try await browser.click(button("tick"))
                try await browser.until("\(keys) === '3,2,1'")
                try await browser.until("document.querySelector('td.end').innerText === '1001'")
            }

            private func goElsewhere(_ browser: Browser) async throws {
                let link = "(({href, rel, target}) => [href, rel, target].join(' '))(document.querySelector('.link a'))"
                #expect(
                    try await browser.value(of: link)
                        == "https://example.org/map?a=1&b=2 noopener noreferrer external _blank")
                // A sheet takes the focus, and gives it back.
                try await browser.click(button("sheet"))
                try await browser.until("document.activeElement.closest('.sheet') !== null")
                #expect(try await browser.value(of: "document.querySelector('.layer').inert") == "true")
                try await browser.press(Browser.Key.escape)
                try await browser.until("document.activeElement.value === 'sheet'")
                try await browser.click(button("tab:1"))
                try await browser.until("document.body.innerText.includes('Nothing else is in this tab.')")
                try await browser.click(button("tab:0"))
                try await browser.until("document.querySelector(\"\(field("guest"))\") !== null")
                // The browser's way back is the scene's.
                try await browser.command("back", [:])
                try await browser.until("document.querySelector('h1').innerText === 'Start'")
            }

            @Test("The keyboard is enough")
            func keyboard() async throws {
                try await installation.withBlocks { session in
                    try await Browser.run(in: installation) { browser in
                        let (tab, enter, space) = (Browser.Key.tab, Browser.Key.enter, Browser.Key.space)
                        func focus(on value: String) -> String { "document.activeElement.value === '\(value)'" }
                        func field(_ name: String) -> String { "document.activeElement.name === 'field.\(name)'" }
                        try await browser.open(try await installation.consoleLink())
                        try await browser.until("document.body.innerText.includes('\(session)')")
                        try await browser.tab(to: "document.activeElement.innerText === '\(session)'")
                        try await browser.press(enter)
                        try await browser.until("document.querySelector('h1').innerText === 'Every block'")
                        try await browser.tab(to: focus(on: "line:1"))
                        try await browser.press(enter)
                        try await browser.until(shows("line 1"))
                        #expect(try await browser.value(of: focus(on: "line:1")) == "true")
                        let outline = "getComputedStyle(document.activeElement).outlineStyle"
                        #expect(try await browser.value(of: outline) == "solid")
                        // Enter in a field does what most users want.
                        try await browser.tab(to: field("guest"))
                        try await browser.press("M", "e", "i", enter)
                        try await browser.until(shows("Mei, 3, , a code of 0"))
                        try await browser.tab(to: field("late"))
                        try await browser.press(space)
                        try await browser.tab(to: focus(on: "delete"))
                        try await browser.press(space)
                        // The question begins at the answer that does nothing.
                        try await browser.until("document.activeElement.innerText === 'Cancel'")
                        try await browser.press(Browser.Key.escape)
                        try await browser.until(focus(on: "delete"))
                        try await browser.press(enter)
                        try await browser.until("document.activeElement.innerText === 'Cancel'")
                        try await browser.press(tab, enter)
                        try await browser.until(shows("deleted"))
                        #expect(try await browser.value(of: focus(on: "delete")) == "true")
                        let late = try await installation.scenebus("scene", "show", session)
                        #expect(late.output.contains("Late: yes"), "\(late.output)")
                        try await compose(in: session, browser)
                    }
                }
            }

            /// A change does not take away what an input method has not finished with, and it is told to nobody.
            private func compose(in session: String, _ browser: Browser) async throws {
                let guest = "document.querySelector(\"\(field("guest"))\")"
                _ = try await browser.value(of: "(\(guest).select(), \(guest).focus())")
                for text in ["に", "にほ", "にほん"] {
                    try await browser.compose(text)
                    try await installation.scenebus("scene", "act", session, "tick")
                }
                try await browser.until(shows("Ticks\\n3"))
                #expect(try await browser.value(of: "\(guest).value") == "にほん")
                let shown = try await installation.scenebus("scene", "show", session)
                #expect(shown.output.contains("Guest: Mei "), "\(shown.output)")
                try await browser.insert("日本")
                try await installation.until("scene", "show", session) { $0.output.contains("Guest: 日本 ") }
                #expect(try await browser.value(of: "\(guest).value") == "日本")
                #expect(try await browser.value(of: "document.activeElement === \(guest)") == "true")
            }

            @Test(
                "Pages can be read in the light and in the dark, aloud, in the reader's times, and on a phone nothing is wider than it"
            )
            func looks() async throws {
                try await installation.withBlocks { session in
                    try await Browser.run(in: installation) { browser in
                        let isWider = "document.documentElement.scrollWidth > innerWidth || innerWidth > 360"
                        try await browser.setTimeZone("Asia/Tokyo")
                        for scheme in ["light", "dark"] {
                            try await browser.prefer(scheme)
                            try await browser.open(try await installation.consoleLink())
                            try await browser.until("document.body.innerText.includes('\(session)')")
                            #expect(try await browser.hardToRead() == "", "\(scheme)")
                            #expect(try await browser.nameless() == [:])
                            try await browser.click("a[href='/scenes/\(session)']")
                            try await browser.until("document.querySelector(\"\(field("guest"))\") !== null")
                            #expect(try await browser.hardToRead() == "", "\(scheme)")
                            #expect(try await browser.nameless() == [:])
                            #expect(Set(try await browser.names().keys).isSuperset(of: Self.roles))
                            try await browser.click(button("delete"))
                            #expect(try await browser.hardToRead() == "", "\(scheme)")
                            #expect(try await browser.nameless() == [:])
                            try await browser.click("dialog button[value='']")
                        }
                        // It is 14:30 in Greenwich.
                        let began = try await browser.value(of: "document.querySelector('.facts time').innerText")
                        #expect(began.contains("11:30") && began.contains("PM"), "\(began)")
                        try await browser.show(width: 360, onPhone: true)
                        #expect(try await browser.value(of: isWider) == "false")
                        // The table is wider, and can be moved.
                        let table = "document.querySelector('.table')"
                        #expect(try await browser.value(of: "\(table).scrollWidth > \(table).clientWidth") == "true")
                        #expect(try await browser.value(of: "getComputedStyle(\(table)).overflowX") == "auto")
                        try await browser.click(button("sheet"))
                        try await browser.until("document.querySelector('.sheet') !== null")
                        #expect(try await browser.value(of: isWider) == "false")
                        #expect(try await browser.hardToRead() == "")
                        #expect(try await browser.nameless() == [:])
                    }
                }
            }

            /// What the page of all blocks has for a reader of the screen.
            private static let roles = ["button", "link", "textbox", "combobox", "checkbox", "image", "meter"]

            @Test("Without a script, forms are enough: they act, ask before, and say why not")
            func noScript() async throws {
                try await installation.withBlocks { session in
                    try await Browser.run(in: installation, runsScripts: false) { browser in
                        try await installation.openBlocks(session, in: browser)
                        #expect(try await browser.value(of: "typeof morph") == "undefined")
                        try await browser.type("Mei", into: field("guest"))
                        try await browser.type("4711", into: field("door-code"))
                        try await browser.click(button("book"))
                        try await browser.until(shows("Mei, 3, , a code of 4"))
                        try await browser.click(button("line:3"))
                        try await browser.until(shows("line 3"))
                        try await browser.type(" and Ada", into: field("guest"))
                        try await browser.click(button("delete"))
                        try await browser.until("document.body.innerText.includes('Delete it for ever?')")
                        try await browser.click("main a.button")
                        try await browser.until(shows("line 3"))
                        try await browser.click(button("delete"))
                        try await browser.until("document.body.innerText.includes('Delete it for ever?')")
                        try await browser.click("main button.destructive")
                        try await browser.until(shows("deleted"))
                        try await browser.type(" and Bob", into: field("guest"))
                        try await browser.click(button("refuse"))
                        try await browser.until(
                            "document.getElementById('notice').innerText === 'It was refused for a reason.'")
                        #expect(
                            try await browser.value(of: "document.querySelector(\"\(field("guest"))\").value")
                                == "Mei and Bob")
                    }
                }
            }
        }
    }
#endif
