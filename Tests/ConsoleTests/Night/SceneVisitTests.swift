// A build without the trait has no console.
#if Console
    import SceneContent
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
            for _ in 0..<32 { #expect(console.visits.take(.browser(digest)) == nil) }
            #expect(await browser.get("/scenes/busy")?.status == 429)
            #expect(await other.get("/scenes/busy")?.status == 200)
            for _ in 0..<32 { console.visits.leave(.browser(digest)) }
            #expect(await browser.get("/scenes/busy")?.status == 200)
            #expect(console.visits.count == 0)
        }

        @Test("The host is asked for an image that a picture has shown, once for all who load it, and for no other one")
        func images() async throws {
            let images = (0..<2).map { number in
                ImageData(Array("GIF89a".utf8) + [8, 0, 4, 0] + Array(repeating: UInt8(number), count: 100))
            }
            for image in images { night.host.images[image.hash] = image.bytes }
            night.host.blocks = try images.map {
                ($0.hash, try #require(ImageBlock($0, alternative: "A lamp")).node)
            }
            let browsers = [try await NightBrowser(console), try await NightBrowser(console)]
            func status(_ hash: String, of session: String = "busy", in browser: Int = 0) async -> Int? {
                await browsers[browser].get("/scenes/\(session)/images/\(hash)")?.status
            }
            let other = String(repeating: "0a", count: 32)
            for _ in 0..<3 { #expect(await status(other) == 404) }
            #expect(await status(images[0].hash, of: "nothing") == 404)
            #expect(night.host.messages["hostSceneImage"] == nil)
            for browser in 0...1 { #expect(await status(images[0].hash, in: browser) == 200) }
            #expect(night.host.messages["hostSceneImage"] == 1)

            // A page may load what it shows a little later than the scene does.
            night.host.blocks = []
            night.host.change("busy")
            try await until("the picture is another one") {
                await browsers[0].get("/scenes/busy")?.text.contains("Change 2") == true
            }
            #expect(await status(images[1].hash) == 200)
            #expect(await status(other) == 404)
            #expect(night.host.messages["hostSceneImage"] == 2 && console.visits.count == 0)
        }
    }
#endif
