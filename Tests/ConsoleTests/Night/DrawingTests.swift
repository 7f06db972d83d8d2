// A build without the trait has no console.
#if Console
    import Dispatch
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

        @Test("A browser has eight pages drawn at a time, all together 64, and others have theirs meanwhile")
        func places() async throws {
            let browser = try await NightBrowser(console)
            let digest = try #require(console.logins.browsers.keys.first)
            let other = try await NightBrowser(console)
            for _ in 0..<8 { #expect(console.drawings.take(digest) == nil) }
            for page in ["/scenes/busy", "/", "/entries"] {
                #expect(await browser.get(page)?.status == 429)
                #expect(await other.get(page)?.status == 200)
            }
            // What draws nothing large is answered.
            #expect(await browser.get("/scenes/busy/stay", "HEAD")?.status == 204)
            for _ in 0..<8 { console.drawings.leave(digest) }
            #expect(await browser.get("/scenes/busy")?.status == 200)
            #expect(console.drawings.count == 0)

            let many = (0..<64).map { _ in ConsoleToken().digest }
            for digest in many { #expect(console.drawings.take(digest) == nil) }
            #expect(await browser.get("/scenes/busy")?.status == 503)
            for digest in many { console.drawings.leave(digest) }
            #expect(await browser.get("/scenes/busy")?.status == 200)
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
