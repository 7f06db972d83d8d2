// A build without the trait has no console.
#if Console
    import CBOR
    import ConsolePages
    import Dispatch
    import TestKit
    import Testing

    @testable import ConsoleModel
    @testable import console_plugin

    /// The drawing of pages, which stops nobody else.
    @Suite(.timeLimit(.minutes(5)))
    @MainActor
    struct DrawingTests {
        private let night: NightConsole
        private var console: Console { night.console }

        init() throws { night = try NightConsole(open: ["busy"]) }

        @Test("A browser has sixteen pages drawn at a time, all together 128, and others have theirs meanwhile")
        func places() async throws {
            let browser = try await NightBrowser(console)
            let owner = PlaceOwner.browser(try #require(console.logins.browsers.keys.first))
            let other = try await NightBrowser(console)
            for _ in 0..<16 { #expect(console.drawings.take(owner) == nil) }
            for page in ["/scenes/busy", "/", "/entries"] {
                #expect(await browser.get(page)?.status == 429)
                #expect(await other.get(page)?.status == 200)
            }
            // What draws nothing large is answered.
            #expect(await browser.get("/scenes/busy/stay", "HEAD")?.status == 204)
            for _ in 0..<16 { console.drawings.leave(owner) }
            #expect(await browser.get("/scenes/busy")?.status == 200)
            try await until("the pages are given back") { console.drawings.count == 0 }

            let many = (0..<128).map { PlaceOwner.user("user-\($0)") }
            for owner in many { #expect(console.drawings.take(owner) == nil) }
            #expect(await browser.get("/scenes/busy")?.status == 503)
            for owner in many { console.drawings.leave(owner) }
            #expect(await browser.get("/scenes/busy")?.status == 200)
        }

        @Test("A page keeps its place until it is written, and a user has no more places in more browsers")
        func written() async throws {
            let browsers = (0..<4).map { _ in NightBrowser(console, as: "ada") }
            var pages: [ConsoleAnswer] = []
            for number in 0..<16 { pages.append(try #require(await browsers[number % 4].get("/scenes/busy"))) }
            #expect(pages.allSatisfy { $0.status == 200 } && console.drawings.count == 16)
            for browser in browsers { #expect(await browser.get("/scenes/busy")?.status == 429) }
            #expect(await NightBrowser(console, as: "bob").get("/scenes/busy")?.status == 200)
            pages = []
            try await until("the places are given back") { console.drawings.count == 0 }
            #expect(await browsers[0].get("/scenes/busy")?.status == 200)
        }

        @Test("The host is asked for an entry once in a second, however many look, and not for who has too much drawn")
        func entries() async throws {
            let text = String(repeating: "x", count: ThingPage.maximumText + 100)
            night.host.entries["total"] = try CBOREncoder().encode(text)
            let browsers = [try await NightBrowser(console), try await NightBrowser(console)]
            do {
                let pages = (0..<8).map { number in
                    Task { await browsers[number % 2].get("/entries/total") }
                }
                for page in pages {
                    let answer = try #require(await page.value)
                    #expect(answer.status == 200 && answer.text.contains("This is its beginning"))
                }
            }
            #expect(night.host.messages["hostDependency"] == 1)
            #expect(await browsers[0].get("/entries/other")?.status == 404)
            night.clock.pass(to: night.clock.passed + .seconds(1))
            #expect(await browsers[0].get("/entries/total")?.status == 200)
            #expect(night.host.messages["hostDependency"] == 3)

            night.clock.pass(to: night.clock.passed + .seconds(1))
            let digests = Array(console.logins.browsers.keys)
            try await until("the places are given back") { console.drawings.count == 0 }
            for digest in digests { for _ in 0..<16 { #expect(console.drawings.take(.browser(digest)) == nil) } }
            #expect(await browsers[0].get("/entries/total")?.status == 429)
            #expect(night.host.messages["hostDependency"] == 3)
        }

        @Test("While a page is drawn, the main actor goes on")
        func beside() async {
            let goesOn = DispatchSemaphore(value: 0)
            Task { @MainActor in goesOn.signal() }
            let answer = await ConsoleAnswer.drawn {
                .page("", status: goesOn.wait(timeout: .now() + 240) == .success ? 200 : 500)
            }
            #expect(answer.status == 200)
        }
    }
#endif
