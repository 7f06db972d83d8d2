// A build without the trait has no console.
#if Console
    import Foundation
    import Testing

    extension PluginProcessTests {
        /// The console's benchmark with small numbers.
        @Suite(
            .timeLimit(.minutes(5)), .enabled(if: Browser.obstacle == nil, "\(Browser.obstacle ?? "")"))
        struct ConsoleBenchTests {
            @Test("The console and a page without a bus are clicked in a browser, and idle pages get each change")
            func figures() async throws {
                let installation = try Installation()
                let outcome = try await installation.run(
                    "\(Installation.executables)/console-bench",
                    [
                        "--rounds", "2", "--count", "5", "--pages", "40", "--changes", "3", "--rows", "2", "--points",
                        "2",
                        "--json",
                    ])
                let figures: [String: Double] = try outcome.json()
                let keys: Set = [
                    "click_p50_ms", "click_p99_ms", "bare_p50_ms", "bare_p99_ms", "ratio", "pages", "page_kb",
                    "all_p50_ms",
                    "all_max_ms",
                ]
                #expect(Set(figures.keys) == keys)
                // A few pages may fit into memory that the console has already.
                #expect(figures.allSatisfy { $0.key == "page_kb" || $0.value > 0 }, "\(outcome.output)")
            }
        }
    }
#endif
