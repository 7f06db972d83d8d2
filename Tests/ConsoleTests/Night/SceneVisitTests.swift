// A build without the trait has no console.
#if Console
    import TestKit
    import Testing

    @testable import ConsoleModel
    @testable import console_plugin

    /// The scenes that are watched for requests, and not for streams.
    @Suite(.timeLimit(.minutes(5)))
    @MainActor
    struct SceneVisitTests {
        private let night: NightConsole
        private var console: Console { night.console }

        init() throws { night = try NightConsole(open: ["busy"]) }

        @Test("A browser has scenes watched for 32 requests at a time, and others have theirs meanwhile")
        func places() async throws {
            let browser = try await NightBrowser(console)
            let digest = try #require(console.logins.browsers.keys.first)
            let other = try await NightBrowser(console)
            for _ in 0..<32 { #expect(console.visits.take(digest) == nil) }
            #expect(await browser.get("/scenes/busy")?.status == 429)
            #expect(await other.get("/scenes/busy")?.status == 200)
            for _ in 0..<32 { console.visits.leave(digest) }
            #expect(await browser.get("/scenes/busy")?.status == 200)
            #expect(console.visits.count == 0)
        }
    }
#endif
