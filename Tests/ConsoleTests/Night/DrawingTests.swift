// A build without the trait has no console.
#if Console
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
