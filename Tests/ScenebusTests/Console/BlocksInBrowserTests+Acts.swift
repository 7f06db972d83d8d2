// A build without the trait has no console.
#if Console
    import Testing

    /// The acts of "Every block can be used as a person does".
    extension PluginProcessTests.BlocksInBrowserTests {
        func act(_ browser: Browser) async throws {
            try await browser.click(button("refuse"))
            try await browser.until(
                "document.getElementById('notice').innerText === 'It was refused for a reason.'")
            try await browser.click("#notice")
            #expect(
                try await browser.value(of: "document.querySelector(\"\(button("print"))\").disabled") == "true")
            // An answer of no does nothing.
            try await browser.click(button("delete"))
            try await browser.until("document.querySelector('dialog p')?.innerText === 'Delete it for ever?'")
            try await browser.click("dialog button[value='']")
            try await browser.until("document.querySelector('dialog') === null")
            try await actSlowly(browser)
            #expect(try await browser.value(of: shows("cell 3")) == "true")
            try await browser.click(button("delete"))
            try await browser.click("dialog button[value='yes']")
            try await browser.until(shows("deleted"))
            try await actAgain(browser)
        }

        /// What waits for its answer shows that in the first frame after the click.
        private func actSlowly(_ browser: Browser) async throws {
            let tick = "document.querySelector(\"\(button("tick"))\")"
            _ = try await browser.value(
                of: """
                    (() => {
                      window.realFetch = fetch;
                      const isReleased = new Promise((go) => { window.release = go; });
                      window.fetch = (at, how) => isReleased.then(() => realFetch(at, how));
                      const look = () => {
                        window.firstLook = \(tick).getAttribute('aria-busy') + getComputedStyle(\(tick), '::after').content;
                      };
                      addEventListener('click', () => requestAnimationFrame(look), { capture: true, once: true });
                    })()
                    """)
            try await browser.click(button("tick"))
            try await browser.until("'firstLook' in window")
            // The line in which it is drawn has no text.
            #expect(try await browser.value(of: "firstLook") == "true\"\"")
            #expect(try await browser.value(of: shows("Ticks\\n1")) == "true")
            _ = try await browser.value(of: "(release(), window.fetch = realFetch)")
            try await browser.until("\(tick).getAttribute('aria-busy') === null")
            try await browser.until(shows("Ticks\\n2"))
        }

        /// An act that may have been done, and is pressed again, is the same act, also when what was typed for it has reached the
        /// scene meanwhile. The next one is another.
        private func actAgain(_ browser: Browser) async throws {
            _ = try await browser.value(
                of: """
                    (window.identifiers = [], window.fills = 0, window.realFetch = fetch, window.fetch = async (at, how) => {
                      const reply = await realFetch(at, how);
                      if (at.endsWith('/fill')) fills += 1;
                      if (!at.endsWith('/act')) return reply;
                      identifiers.push(how.body.get('identifier'));
                      return identifiers.length > 1 ? reply : Response.json({ accepted: false, unsure: true, reason: 'It was lost.' },
                        { status: 409 });
                    })
                    """)
            for (count, tick) in [(1, 3), (2, 3), (3, 4)] {
                if count == 1 {
                    _ = try await browser.value(
                        of: """
                            ((guest) => {
                              guest.value = 'Ada';
                              guest.dispatchEvent(new Event('input', { bubbles: true }));
                              document.querySelector("\(button("tick"))").click();
                            })(document.querySelector("\(field("guest"))"))
                            """)
                    try await browser.until("fills > 0")
                } else {
                    try await browser.click(button("tick"))
                }
                try await browser.until(
                    "identifiers.length === \(count) && document.querySelector('[aria-busy]') === null")
                try await browser.until(shows("Ticks\\n\(tick)"))
                let said = try await browser.value(of: "document.getElementById('notice').innerText")
                #expect(said.contains("It was lost. Look whether it was done.") == (count == 1))
                if count == 1 { try await browser.click("#notice") }
            }
            #expect(
                try await browser.value(
                    of: "identifiers[0] === identifiers[1] && identifiers[1] !== identifiers[2]") == "true")
            _ = try await browser.value(of: "(window.fetch = realFetch)")
        }
    }
#endif
