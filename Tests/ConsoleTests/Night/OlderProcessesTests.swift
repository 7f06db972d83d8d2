// A build without the trait has no console.
#if Console
    import Messaging
    import SceneContent
    import TestKit
    import Testing

    @testable import ConsoleModel
    @testable import console_plugin

    /// A console beside a host, or a scene's worker, of an earlier build, which does not know what the console asks for.
    @Suite(.timeLimit(.minutes(5)))
    @MainActor
    struct OlderProcessesTests {
        private let night: NightConsole
        private let browser: NightBrowser
        private var host: NightHost { night.host }

        init() throws {
            night = try NightConsole(open: ["busy"], ["users": "accounts"])
            browser = NightBrowser(night.console, as: "ada")
            night.host.blocks = [("guest", FieldBlock(name: "guest", label: "Guest").node)]
        }

        private static let olderHost = "The host is older than the console: it does not know "
        private static let olderWorker = "The worker of this scene is older than the host: it does not know "
        private static let wayOut = "Build its program anew, and start it again."

        /// What an application's own host answers to a request that it does not know.
        private static func unknown(_ request: String) -> MessageError {
            MessageError(
                .unhandled, message: request, path: ["HostControl", "HotelDelegate"],
                detail: "if HotelDelegate handles it, pass the list of its messages to AppHost as 'handles:'")
        }

        /// What a host answers whose worker does not know what the host has asked it.
        private static func unknown(toWorker request: String) -> MessageError {
            MessageError(.unhandled, message: request, path: ["SceneResponder"], mayHaveBeenHandled: true)
        }

        private func expect(_ words: String, _ status: Int, in answer: ConsoleAnswer?) throws {
            let answer = try #require(answer)
            #expect(answer.status == status)
            #expect(answer.text.contains(words) && answer.text.contains(Self.wayOut), "\(answer.text)")
            // The page posts nothing again, and knows that nothing was done.
            #expect(!answer.text.contains("\"again\"") && !answer.text.contains("\"unsure\""), "\(answer.text)")
            #expect(!answer.text.contains("HotelDelegate"), "\(answer.text)")
        }

        @Test("A host that cannot be asked for changes is said to be older, once for each who asks for its scenes")
        func watch() async throws {
            host.failures["hostSceneWatch"] = Self.unknown("hostSceneWatch")
            let page = "/scenes/busy"
            try expect(Self.olderHost, 503, in: await browser.get(page))
            // A page that was there before is told, and does not come again.
            guard case .stream(let stream)? = await browser.get("\(page)/events")?.body else {
                throw NotReached(description: "a stream")
            }
            let open = NightPage(stream)
            try await until("the stream has ended") { !open.isOpen }
            #expect(open.patches == 0 && open.end?.contains(Self.olderHost) == true, "\(open.end ?? "")")
            // What was pressed or typed in it is not sent again and again without a word.
            let act = ["action": "go", "layer": "desk"]
            try expect(Self.olderHost, 503, in: await browser.post("\(page)/act", act))
            try expect(Self.olderHost, 503, in: await browser.post("\(page)/act", act, accept: "text/html"))
            let typed = ["layer": "desk", "field.guest": "Mei"]
            try expect(Self.olderHost, 409, in: await browser.post("\(page)/fill", typed))
            #expect(host.messages["hostSceneWatch"] == 5)
            #expect(host.messages["hostScenePerform"] == nil && host.messages["hostSceneFill"] == nil)
            #expect(night.console.watching.sessions.isEmpty)
            // It is asked again by whoever comes again, and by nobody else.
            night.clock.pass(to: .seconds(3600))
            night.console.watching.beat()
            // Whatever would ask is a task of this actor.
            for _ in 0..<100 { await Task.yield() }
            #expect(host.messages["hostSceneWatch"] == 5)
            host.failures = [:]
            #expect(await browser.get(page)?.status == 200)
        }

        @Test("An act that the host or the worker does not know is refused with what to do, and asked for once")
        func act() async throws {
            for (failure, words) in [
                (Self.unknown("hostScenePerform"), Self.olderHost),
                (Self.unknown(toWorker: "sceneAct"), Self.olderWorker),
            ] {
                host.failures["hostScenePerform"] = failure
                let before = host.messages["hostScenePerform", default: 0]
                let act = ["action": "go", "layer": "desk", "field.guest": "Mei"]
                try expect(words, 409, in: await browser.post("/scenes/busy/act", act))
                // Without a script, the page comes again with what was typed.
                let page = await browser.post("/scenes/busy/act", act, accept: "text/html")
                try expect(words, 409, in: page)
                #expect(page.text.contains("value=\"Mei\""), "\(page.text)")
                // Of a screen that has changed, the host is asked what has become of the act.
                let late = ["action": "go", "layer": "hall"]
                try expect(words, 409, in: await browser.post("/scenes/busy/act", late))
                #expect(host.messages["hostScenePerform", default: 0] - before == 3)
            }
            host.failures = [:]
            #expect(await browser.post("/scenes/busy/act", ["action": "go", "layer": "desk"]).status == 200)
        }

        @Test("What is typed and cannot be passed on is said to be so, and still goes with an action")
        func fill() async throws {
            let typed = ["layer": "desk", "field.guest": "Mei"]
            for (failure, words) in [
                (Self.unknown("hostSceneFill"), Self.olderHost),
                (Self.unknown(toWorker: "sceneFill"), Self.olderWorker),
            ] {
                host.failures["hostSceneFill"] = failure
                try expect(words, 409, in: await browser.post("/scenes/busy/fill", typed))
            }
            #expect(host.messages["hostSceneFill"] == 2)
            let act = typed.merging(["action": "go"]) { $1 }
            #expect(await browser.post("/scenes/busy/act", act).status == 200)
        }
    }
#endif
