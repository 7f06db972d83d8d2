// A build without the trait has no console.
#if Console
    import CBOR
    import ConsoleModel
    import Testing

    @testable import console_plugin

    /// Who may have forms with a password read, and passwords checked, at the same time as others.
    @Suite(.timeLimit(.minutes(5)))
    @MainActor
    struct PasswordFormTests {
        private let night: NightConsole
        private var console: Console { night.console }

        init() throws { night = try NightConsole(open: [], ["users": "accounts"]) }

        private func head(from machine: String?) -> RequestHead {
            RequestHead(
                method: "POST", target: "/login", host: "127.0.0.1:\(NightBrowser.port)", fetchSite: "same-origin",
                contentType: "application/x-www-form-urlencoded", machine: machine.flatMap(ClientAddress.init))
        }

        /// Begins to send a form.
        /// - Returns: what is to be read, or the status of the refusal.
        private func begin(from machine: String?) async -> (visit: FormVisit?, status: Int?) {
            switch await console.admit(head(from: machine)) {
            case .form(let visit, _): (visit, nil)
            case .answer(let answer): (nil, answer.status)
            }
        }

        @Test("Another machine has four forms read at a time, all together 32, and others log in meanwhile")
        func forms() async throws {
            var visits: [FormVisit] = []
            for _ in 0..<4 { visits.append(try #require(await begin(from: "192.0.2.1").visit)) }
            #expect(await begin(from: "192.0.2.1").status == 429)
            // Browsers of this machine, and those behind a proxy, have no share of their own.
            for machine in [nil, nil, nil, nil, nil, "192.0.2.2"] {
                visits.append(try #require(await begin(from: machine).visit))
            }
            for _ in 0..<22 { visits.append(try #require(await begin(from: nil).visit)) }
            #expect(await begin(from: "192.0.2.3").status == 503)
            for visit in visits { _ = console.refuse(.lost, of: head(from: nil), from: visit) }
            #expect(console.passwordForms.count == 0)
            #expect(await begin(from: "192.0.2.1").visit != nil)
        }

        @Test("Another machine has two passwords checked at a time, and others have theirs meanwhile")
        func checks() async throws {
            let machine = try #require(ClientAddress("192.0.2.1"))
            for _ in 0..<2 { #expect(console.passwordChecks.take(.machine(machine)) == nil) }
            for (machine, status) in [("192.0.2.1", 429), ("192.0.2.2", 503), (nil, 503)] as [(String?, Int)] {
                let visit = try #require(await begin(from: machine).visit)
                let form = Array("username=ada&password=difference".utf8)
                let answer = await console.take(form, of: head(from: machine), from: visit)
                // The host has no accounts, which only those are told whose password was to be checked.
                #expect(answer.status == status, "\(machine ?? "here")")
                #expect(answer.text.contains("accounts cannot be reached") == (status == 503))
            }
            #expect(console.passwordForms.count == 0 && console.passwordChecks.count == 2)
        }
    }
#endif
