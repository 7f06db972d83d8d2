#if Console
    import Foundation
    import LabBrowser

    /// How long a click takes until the page shows the changed figure.
    struct Clicks: Sendable {
        /// The times on the scene's page, and on the page without a bus, in milliseconds.
        private(set) var scene: [Double] = []
        private(set) var bare: [Double] = []

        /// The number of clicks at the beginning of a round that do not count: the page is new then.
        private static let warmUp = 5
        /// The number of clicks for which a script may run.
        private static let most = 100

        /// Presses a button again and again, each time when the figure has changed and the button is free.
        private static let script = """
            const [button, figure, count, done] = arguments;
            const find = (selector) => document.querySelector(selector);
            const until = (isTrue) => new Promise((resolve) => {
              if (isTrue()) return resolve();
              const observer = new MutationObserver(() => {
                if (!isTrue()) return;
                observer.disconnect();
                resolve();
              });
              observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
            });
            (async () => {
              const times = [];
              while (times.length < Number(count)) {
                await until(() => !find(button).hasAttribute("aria-busy"));
                const before = find(figure).textContent;
                const start = performance.now();
                find(button).click();
                await until(() => find(figure).textContent !== before);
                times.push(performance.now() - start);
              }
              return JSON.stringify(times);
            })().then(done, (error) => done(String(error)));
            """

        /// Measures both pages in turn.
        static func measure(
            on stage: BenchStage, in folder: String, rounds: Int, count: Int
        ) async throws -> Clicks {
            var clicks = Clicks()
            try await BarePage.run { bare in
                try await Browser.run(in: folder) { browser in
                    try await browser.open(try await stage.link())
                    for _ in 0..<rounds {
                        try await browser.open(stage.origin + "/scenes/" + stage.session)
                        clicks.scene += try await times(
                            of: "button[value='meter']", ".meter .quantity", count, in: browser)
                        try await browser.open(bare)
                        clicks.bare += try await times(of: "#change", "#figure", count, in: browser)
                    }
                }
            }
            return clicks
        }

        private static func times(
            of button: String, _ figure: String, _ count: Int, in browser: Browser
        ) async throws -> [Double] {
            try await browser.waitUntil("document.querySelector(\"\(figure)\")?.textContent > ''")
            var times: [Double] = []
            while times.count < count + warmUp {
                let part = min(most, count + warmUp - times.count)
                let result = try await browser.result(of: script, [button, figure, "\(part)"])
                guard let some = try? JSONDecoder().decode([Double].self, from: Data(result.utf8)) else {
                    throw HTTPConnection.Failure(description: "the script has failed in the page: \(result)")
                }
                times += some
            }
            return Array(times.dropFirst(warmUp))
        }
    }
#endif
