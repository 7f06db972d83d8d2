// A build without the trait has no console.
#if Console
    import ConsolePages
    import Messaging
    import TestKit
    import Testing

    @testable import ConsoleModel
    @testable import console_plugin

    /// What is done in scenes, of which some do not answer.
    @Suite(.timeLimit(.minutes(5)))
    @MainActor
    struct ActTests {
        private let night: NightConsole
        private var console: Console { night.console }
        private var host: NightHost { night.host }

        init() throws { night = try NightConsole(open: ["busy", "hung"], ["users": "accounts"]) }

        /// Presses a button in a scene.
        private func press(_ session: String, in browser: NightBrowser) async -> ConsoleAnswer {
            await browser.post("/scenes/\(session)/act", ["action": "go"])
        }

        @Test("A scene that does not answer keeps nobody from acting elsewhere, however many press in it")
        func hung() async throws {
            host.hang("hung")
            let browsers = (0..<20).map { NightBrowser(console, as: "user-\($0)") }
            let acts = browsers[..<8].map { browser in Task { await press("hung", in: browser).status } }
            try await until("eight wait") { host.waitingActCount == 8 }
            #expect(console.forms.count == 0)
            for browser in browsers {
                #expect(await press("hung", in: browser).status == 503)
                #expect(await press("busy", in: browser).status == 200)
                #expect(await browser.post("/open/Desk").status == 303)
            }
            host.answerActs()
            for act in acts { #expect(await act.value == 200) }
            #expect(await press("hung", in: browsers[0]).status == 200)
            #expect(console.acts.count == 0 && console.sceneActs.count == 0)
        }

        @Test("A user has no more places for having logged in more often, and others have theirs meanwhile")
        func users() async throws {
            let (browsers, other) = (
                (0..<3).map { _ in NightBrowser(console, as: "ada") }, NightBrowser(console, as: "bob")
            )
            for _ in 0..<8 { #expect(console.forms.take(.user("ada")) == nil) }
            for browser in browsers { #expect(await press("busy", in: browser).status == 429) }
            #expect(await press("busy", in: other).status == 200)
        }

        @Test("Whoever presses while the console is busy is not refused: the page posts the same again")
        func busy() async throws {
            let starting = try NightConsole(open: ["busy"], listens: false)
            let early = await press("busy", in: NightBrowser(starting.console, as: "ada"))
            #expect(early.status == 503 && early.text.contains("\"again\":true"), "\(early.text)")

            let browser = NightBrowser(console, as: "ada")
            let ada = PlaceOwner.user("ada")
            let others = (0..<256).map { PlaceOwner.user("user-\($0)") }
            func expectBusy(_ status: Int, _ comment: Comment) async {
                let answer = await press("busy", in: browser)
                #expect(answer.status == status && answer.text.contains("\"again\":true"), comment)
            }
            for _ in 0..<8 { #expect(console.forms.take(ada) == nil) }
            await expectBusy(429, "forms of the user")
            for _ in 0..<8 { console.forms.leave(ada) }
            for other in others[..<64] { #expect(console.forms.take(other) == nil) }
            await expectBusy(503, "forms of all")
            for other in others[..<64] { console.forms.leave(other) }
            for _ in 0..<16 { #expect(console.acts.take(ada) == nil) }
            await expectBusy(429, "acts of the user")
            for _ in 0..<16 { console.acts.leave(ada) }
            for other in others { #expect(console.acts.take(other) == nil) }
            await expectBusy(503, "acts of all")
            for other in others { console.acts.leave(other) }
            for _ in 0..<8 { #expect(console.sceneActs.take("busy") == nil) }
            await expectBusy(503, "acts in the scene")
            for _ in 0..<8 { console.sceneActs.leave("busy") }
            #expect(host.messages["hostScenePerform"] == nil)
        }

        @Test("What is pressed before the console knows a picture again is not asked of the host, but posted again")
        func noPicture() async throws {
            host.hasPictures = false
            let browser = NightBrowser(console, as: "ada")
            let early = await press("busy", in: browser)
            #expect(early.status == 503 && early.text.contains("\"again\":true"), "\(early.text)")
            #expect(host.messages["hostScenePerform"] == nil)
            host.hasPictures = true
            host.change("busy")
            try await until("the picture has come") { await press("busy", in: browser).status == 200 }
            #expect(host.messages["hostScenePerform"] == 1)
        }

        @Test("A form that arrives after its browser has logged out, or its screen has lost its key, does nothing")
        func lateForm() async throws {
            let night = try NightConsole(open: ["busy"], ["walls": "use"])
            let (console, login) = (night.console, ConsoleToken())
            console.logins.logIn(login, as: "ada", at: console.now)
            let key = try console.walls.add("lobby", showing: "Desk")
            let session = try #require(console.walls[key.digest]).session
            let page = SceneView(address: .scene("busy"), access: .use)
            let wall = SceneView(address: .wall("Desk"), access: .use)
            let visits = [
                (SceneVisit(session: "busy", view: page, reader: login, user: "ada"), "/scenes/busy/act", 401),
                (SceneVisit(session: session, view: wall, reader: key, user: nil), "/wall/Desk/act", 403),
            ]
            _ = await console.opening.open(session, "Desk")
            for (visit, target, refusal) in visits {
                let head = RequestHead(
                    method: "POST", target: target, host: nil, accept: "application/json",
                    contentType: "application/x-www-form-urlencoded")
                let form = FormVisit(browser: visit.reader, owner: .browser(visit.reader.digest), purpose: .act(visit))
                let body = Array("action=go&token=\(visit.reader.formToken)".utf8)
                #expect(await console.take(body, of: head, from: form).status == 200, "\(target)")
                console.logins.logOut(login.digest)
                if refusal == 403 { _ = console.walls.revoke("lobby") }
                #expect(await console.take(body, of: head, from: form).status == refusal, "\(target)")
            }
            #expect(night.host.messages["hostScenePerform"] == 2)
        }

        @Test("An act that has taken too long ends when the host says so; when nobody answers, it is posted again")
        func late() async throws {
            let timeout = MessageError(.timeout, message: "hostScenePerform", mayHaveBeenHandled: true)
            let cancelled = RemoteError(CancellationError())
            let cases: [(passed: Duration, error: any Error, status: Int)] = [
                (.seconds(24), timeout, 409), (.seconds(24), cancelled, 409), (.seconds(25), timeout, 503),
            ]
            let browser = NightBrowser(console, as: "ada")
            for (passed, error, status) in cases {
                host.hang("hung")
                let act = Task { await press("hung", in: browser) }
                try await until("the act waits") { host.waitingActCount == 1 }
                night.clock.pass(to: night.clock.passed + passed)
                host.answerActs(throwing: error)
                let answer = await act.value
                #expect(answer.status == status, "\(passed)")
                #expect(answer.text.contains("\"again\":true") == (status == 503), "\(answer.text)")
                #expect(answer.text.contains("may have been done in part") == (status == 409), "\(answer.text)")
            }
        }
    }
#endif
