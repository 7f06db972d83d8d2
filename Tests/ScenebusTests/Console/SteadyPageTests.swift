// A build without the trait has no console.
#if Console
    import Testing

    extension PluginProcessTests {
        /// What stays where it is in a page while its scene changes, in a real browser.
        @Suite(.timeLimit(.minutes(5)), .enabled(if: Browser.obstacle == nil, "\(Browser.obstacle ?? "")"))
        struct SteadyPageTests: PageOfBlocks {
            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            @Test("Nothing jumps when numbers change, a sheet opens or rows move, and a part that was lost comes back")
            func steady() async throws {
                try await installation.withBlocks { session in
                    try await Browser.run(in: installation) { browser in
                        try await installation.openBlocks(session, in: browser)
                        #expect(try await browser.result(of: Self.changingNumbers, []) == "")
                        try await openSheet(browser)
                        try await losePart(of: session, in: browser)
                        try await browser.type("half-typed", into: "[name='field.guest']")
                        #expect(try await browser.result(of: Self.movingRows, []) == "")
                    }
                }
            }

            /// Presses a button that changes a number in a meter and three in a table, ten times. Returns the blocks that have moved.
            private static let changingNumbers = """
                const done = arguments[0];
                window.places = () =>
                  [...scene.firstElementChild.querySelectorAll(".block")].map((block) => {
                    const { left, top, width, height } = block.getBoundingClientRect();
                    return [key(block), left, top + scrollY, width, height].join(" ");
                  });
                const run = async () => {
                  const button = document.querySelector("button[value='arrive']:not(.default)");
                  const number = () => document.querySelector("td.end").innerText;
                  const before = places();
                  const moved = new Set();
                  for (let count = 0; count < 10; count++) {
                    const old = number();
                    button.click();
                    while (number() === old || button.matches("[aria-busy]")) await new Promise(requestAnimationFrame);
                    places().forEach((place, i) => place === before[i] || moved.add(before[i] + " > " + place));
                  }
                  const meter = document.querySelector("[role=meter]").ariaValueText;
                  return [...moved, ...(meter === "66.0 %" && number() === "1010" ? [] : [meter, number()])].join();
                };
                run().then(done, (error) => done(String(error.stack)));
                """

            /// The screen below a sheet stays where it is, and as far as its reader has scrolled it, before and after.
            private func openSheet(_ browser: Browser) async throws {
                _ = try await browser.value(of: "document.querySelector(\"\(button("sheet"))\").scrollIntoView()")
                let (places, scrolled) = ("places().join()", "scrollY")
                let before = try await browser.value(of: places)
                let place = try await browser.value(of: scrolled)
                #expect(place != "0")
                try await browser.click(button("sheet"))
                // The sheet has no way back, so the page has taken its entry out of the browser's history.
                try await browser.until("document.querySelector('.sheet') !== null && !history.state && !isLeaving")
                #expect(try await browser.value(of: scrolled) == place)
                #expect(try await browser.value(of: places) == before)
                try await browser.click(".sheet " + button("done"))
                try await browser.until("document.querySelector('.sheet') === null && !!history.state")
                #expect(try await browser.value(of: scrolled) == place)
                #expect(try await browser.value(of: places) == before)
                // It is there when it is loaded again, too.
                _ = try await browser.value(of: "(window.isEarlier = true, location.reload())")
                try await browser.until("!window.isEarlier && Math.abs(scrollY - \(place)) < 2")
                try await browser.until("!document.documentElement.hasAttribute('data-lost')")
            }

            /// A page that does not have what changes asks for the whole, and keeps what its reader types.
            private func losePart(of session: String, in browser: Browser) async throws {
                // It is told to nobody, so only the page has it.
                try await browser.type("4711", into: "[name='field.door-code']")
                _ = try await browser.value(
                    of: """
                        (window.asked = [], window.RealSource = EventSource, window.EventSource = class extends RealSource {
                            constructor(address) {
                              super(address);
                              asked.push(address);
                            }
                          },
                          window.keys = () => [...document.querySelectorAll(".blocks > *")].map(key).join(),
                          window.before = keys(),
                          document.querySelector(".facts").remove())
                        """)
                try await installation.scenebus("scene", "act", session, "tick")
                try await browser.until("document.querySelector('.facts')?.innerText.includes('Ticks\\n1')")
                #expect(try await browser.value(of: "asked.join()") == "/scenes/\(session)/events?known=")
                #expect(try await browser.value(of: "keys() === before") == "true")
                #expect(
                    try await browser.value(of: "document.querySelector(\"[name='field.door-code']\").value") == "4711")
                #expect(try await browser.value(of: "document.activeElement.name") == "field.door-code")
                // The next change comes as such again.
                try await installation.scenebus("scene", "act", session, "tick")
                try await browser.until("document.querySelector('.facts').innerText.includes('Ticks\\n2')")
                #expect(try await browser.value(of: "asked.length") == "1")
            }

            /// Moves, adds, changes and removes rows around two fields at random, in whole pictures and in parts of them. Returns what
            /// the reader who types into one of the fields would notice, and rows that are not as they should be.
            private static let movingRows = """
                const done = arguments[0];
                // Neither the scene nor its answers come between.
                close();
                window.fetch = () => new Promise(() => {});
                let seed = 7;
                const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
                const layer = key(topLayer());
                const [guest, notes] = ["guest", "notes"].map((name) => document.querySelector(`[name="field.${name}"]`));
                const block = (field) => field.closest(".block");
                const fields = [guest, notes].map((field) => ({ name: key(block(field)), text: null, markup: block(field).outerHTML }));
                const row = (name, text) => ({ name, text, markup: `<p class="block text" data-key="${name}">${text}</p>` });
                let count = 0;
                const newRow = () => row(`row-${count}`, `Row ${count++}`);
                const next = (rows) => {
                  const others = rows.filter(({ text }) => text !== null);
                  for (let i = random(3); i > 0; i--) others.splice(random(others.length), 1);
                  for (let i = random(3); i > 0; i--) others.splice(random(others.length), 0, newRow());
                  for (let i = 0; i < 5; i++) {
                    const at = random(others.length);
                    others[at] = row(others[at].name, others[at].text + "!");
                    others.splice(random(others.length), 0, ...others.splice(at, 1));
                  }
                  if (random(4) === 0) others.reverse();
                  // There is enough above and below each field to scroll it to where it was.
                  for (const field of fields) others.splice(14 + random(others.length - 28), 0, field);
                  return others;
                };
                const whole = (rows) => {
                  const copy = scene.cloneNode(true);
                  copy.querySelector(".body > .blocks").replaceChildren(...rows.map(({ markup }) => parse(markup)));
                  return [["main", copy.innerHTML]];
                };
                const parts = (old, rows) => {
                  const before = new Map(old.map(({ name, markup }) => [name, markup]));
                  const names = rows.map(({ name }) => name);
                  const gone = old.filter(({ name }) => !names.includes(name)).map(({ name }) => ["remove", layer, name]);
                  const changes = rows.flatMap(({ name, markup }, i) => {
                    if (!before.has(name)) return [["insert", layer, name, i ? names[i - 1] : null, markup]];
                    return before.get(name) === markup ? [] : [["block", layer, name, markup]];
                  });
                  return [...gone, ...changes, ["order", layer, ...names]];
                };
                const model = (rows) => rows.map(({ name, text }) => name + (text ?? "")).join();
                const shown = () =>
                  [...blocksOf(layer).children].map((one) => key(one) + (one.matches(".text") ? one.textContent : "")).join();
                const frame = () => new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
                let blurs = 0;
                addEventListener("blur", () => (blurs += 1), true);
                const run = async () => {
                  const problems = [];
                  const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`).join("\\n");
                  notes.value = lines;
                  notes.dispatchEvent(new Event("input", { bubbles: true }));
                  let rows = next(Array.from({ length: 40 }, newRow));
                  apply(whole(rows));
                  for (const field of [guest, notes]) {
                    field.focus();
                    field.setSelectionRange(2, 6);
                    notes.scrollTop = 57;
                    blurs = 0;
                    for (let step = 0; step < 25; step++) {
                      if (step % 5 === 0) {
                        field.scrollIntoView({ block: "center" });
                        scrollBy(0, (step % 2) * 120);
                        await frame();
                      }
                      const { top } = field.getBoundingClientRect();
                      const old = rows;
                      rows = next(rows);
                      apply(step % 2 ? whole(rows) : parts(old, rows));
                      await frame();
                      const moved = field.getBoundingClientRect().top - top;
                      const state = [
                        document.activeElement === field, field.selectionStart, field.selectionEnd, guest.value,
                        notes.value === lines, notes.scrollTop, blurs, shown() === model(rows), Math.abs(moved) <= 1,
                      ].join();
                      if (state !== "true,2,6,half-typed,true,57,0,true,true") problems.push(`${field.name} ${step}: ${state} ${moved}`);
                    }
                  }
                  return problems.join("; ");
                };
                run().then(done, (error) => done(String(error.stack)));
                """
        }
    }
#endif
