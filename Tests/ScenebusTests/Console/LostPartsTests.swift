// A build without the trait has no console.
#if Console
    import Foundation
    import Testing

    extension PluginProcessTests {
        /// What a page does about parts that have not come, or that the scene takes away, in a real browser.
        @Suite(.timeLimit(.minutes(5)), .enabled(if: Browser.obstacle == nil, "\(Browser.obstacle ?? "")"))
        struct LostPartsTests: PageOfBlocks {
            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            @Test("An image is drawn, in its place before it has come, and runs nothing when it is opened as a page")
            func image() async throws {
                try await installation.withBlocks { session in
                    try await Browser.run(in: installation) { browser in
                        // It does not come at first, and is asked for again.
                        try await browser.perform("Network.enable", [:])
                        try await browser.perform("Network.setBlockedURLs", ["urls": ["*/images/*"]])
                        try await installation.openBlocks(session, in: browser)
                        try await browser.until("document.images[0].complete && document.images[0].naturalWidth === 0")
                        try await browser.perform("Network.setBlockedURLs", ["urls": [String]()])
                        try await browser.type("Mei", into: field("guest"))
                        try await browser.until("document.images[0].complete && document.images[0].naturalWidth === 8")
                        let image =
                            "(({alt, width, height, naturalHeight}) => [alt, width, height, naturalHeight].join())"
                        #expect(
                            try await browser.value(of: "\(image)(document.images[0])")
                                == "A red <door> & nothing else,8,4,4")
                        #expect(try await browser.value(of: "document.images.length") == "1")
                        // A change of other blocks leaves it as it is.
                        try await browser.click(button("tick"))
                        try await browser.until(shows("Ticks\\n1"))
                        #expect(try await browser.value(of: "document.images[0].naturalWidth") == "8")
                        let address = try await browser.value(of: "document.images[0].src")
                        try await browser.open(address)
                        try await browser.until("document.images.length === 1")
                        #expect(try await browser.value(of: "document.contentType") == "image/png")
                    }
                }
            }

            @Test(
                "A field that is taken away leaves what was typed there, unless its reader has acted and the scene has it"
            )
            func goneField() async throws {
                try await installation.withBlocks { session in
                    try await Browser.run(in: installation) { browser in
                        try await installation.openBlocks(session, in: browser)
                        let gone = "document.getElementById('gone')"
                        let hasWish = "document.querySelector(\"\(field("wish"))\") !== null"
                        try await browser.type("late supper", into: field("wish"))
                        for _ in 0..<5 { try await installation.scenebus("scene", "act", session, "tick") }
                        try await browser.until(
                            """
                            \(gone)?.querySelector('p').innerText
                              === 'The field “Wish” is gone; what you typed: late supper'
                            """)
                        #expect(try await browser.value(of: hasWish) == "false")
                        #expect(try await browser.hardToRead() == "")
                        try await browser.click("#gone button")
                        #expect(try await browser.value(of: "\(gone) === null") == "true")
                        for _ in 0..<5 { try await installation.scenebus("scene", "act", session, "tick") }
                        try await browser.until(hasWish)
                        try await browser.type("!", into: field("wish"))
                        for tick in 11...15 {
                            try await browser.click(button("tick"))
                            try await browser.until(shows("Ticks\\n\(tick)"))
                        }
                        #expect(try await browser.value(of: "\(hasWish) || \(gone) !== null") == "false")

                        // What the scene does not take is said, and is not lost with the reader's own way to elsewhere.
                        _ = try await browser.value(
                            of: """
                                (document.querySelector("\(field("guest"))").value = 'long'.repeat(5000),
                                  document.querySelector("\(field("guest"))")
                                    .dispatchEvent(new Event('input', { bubbles: true })))
                                """)
                        try await browser.until(
                            "document.getElementById('notice').innerText.includes('a field takes at most 16384')")
                        try await browser.click("#notice")
                        try await browser.click(button("tab:1"))
                        try await browser.until(
                            "\(gone)?.querySelector('p').innerText.includes('“Guest” is gone; what you typed: longlong')"
                        )
                    }
                }
            }
        }
    }
#endif
