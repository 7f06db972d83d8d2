// A build without the trait has no console.
#if Console
    import Foundation
    import TestKit
    import Testing

    extension PluginProcessTests {
        /// The page of the application, beside a real host.
        @Suite(.timeLimit(.minutes(5)))
        struct ConsoleApplicationTests {
            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            @Test("All of the application is on one page, and each thing has its own")
            func pages() async throws {
                try await installation.withConsole { session in
                    let browser = try await installation.browser()
                    // Either of the two workers may have the scene.
                    let shown: SessionReply = try await installation.scenebus("sessions", "show", session, "--json")
                        .json()
                    let workerPath = "/workers/\(try #require(shown.worker))"
                    let all = try await browser.get("/")
                    #expect(all.status == 200)
                    for link in [
                        "/scenes/\(session)", "/sessions/\(session)", workerPath, "/plugins/console",
                        "/?only=entries",
                    ] { #expect(all.body.contains("href=\"\(link)\""), "\(link) in \(all.body)") }

                    let page = try await browser.get("/sessions/\(session)")
                    #expect(page.status == 200 && page.body.contains("href=\"/scenes/\(session)\""))
                    // The console asks the host once a second at most, so it may not know yet where the scene runs.
                    try await until("the worker's page leads to its scene") {
                        let worker = try await browser.get(workerPath)
                        return worker.status == 200 && worker.body.contains("href=\"/scenes/\(session)\"")
                    }
                    #expect(try await browser.get("/plugins/console").body.contains("consoleLink"))
                    for path in ["/sessions/x", "/workers/x", "/plugins/x", "/entries/x"] {
                        #expect(try await browser.get(path).status == 404)
                    }
                }
            }

            @Test("A session is closed from its page, after a question that names it, and the audit says so")
            func close() async throws {
                try await installation.withConsole { session in
                    let browser = try await installation.browser()
                    let path = "/sessions/\(session)/close"
                    #expect(try await browser.get("/sessions/\(session)").body.contains("href=\"\(path)\""))
                    let question = try await browser.get(path)
                    #expect(question.status == 200 && question.body.contains("Close \(session)?"), "\(question.body)")
                    #expect(question.body.contains("action=\"\(path)\""))
                    let token = try await browser.formToken()
                    let forged = try await browser.request(
                        "POST", path, body: "token=" + String(repeating: "0", count: 64))
                    #expect(forged.status == 403)
                    #expect(try await installation.scenebus("sessions", "show", session).code == 0)

                    // Without a script. What is posted again is no error.
                    for _ in 0..<2 {
                        let closed = try await browser.request("POST", path, body: "token=\(token)")
                        #expect(closed.status == 200 && closed.body.contains("is closed"), "\(closed.body)")
                    }
                    #expect(try await installation.scenebus("sessions", "show", session).code == 4)
                    #expect(try await browser.get(path).status == 404)
                    try await until("the list has it no longer") {
                        try await !browser.get("/").body.contains("/sessions/\(session)")
                    }
                    let audit: [AuditReply] = try await installation.scenebus("audit", "--json").json()
                    #expect(audit.contains { $0.action == "hostCloseSession" && $0.peer == "console" }, "\(audit)")
                }
            }

            @Test("Entries are listed, each leads to its whole value, and none is there without a login")
            func entries() async throws {
                try await installation.withConsole { _ in
                    let browser = try await installation.browser()
                    let keys: [EntryReply] = try await installation.scenebus("deps", "ls", "--json").json()
                    let entry = try #require(keys.first)
                    let list = try await browser.get("/entries")
                    #expect(list.status == 200 && list.body.contains("/entries/\(entry.key)\""), "\(list.body)")
                    let page = try await browser.get("/entries/\(entry.key)")
                    #expect(page.status == 200 && page.body.contains(entry.owner), "\(page.body)")

                    var stranger = browser
                    stranger.cookie = nil
                    for path in ["/entries", "/entries/\(entry.key)", "/sessions/x", "/?only=entries"] {
                        let refused = try await stranger.get(path)
                        #expect(refused.status == 401 && !refused.body.contains(entry.key))
                    }
                }
            }

            @Test("The address says what is searched for, and hostile ones are harmless")
            func search() async throws {
                try await installation.withConsole { session in
                    let browser = try await installation.browser()
                    let found = try await browser.get("/?q=\(session)&only=sessions&sort=-name")
                    #expect(found.body.contains("/scenes/\(session)"))
                    let other = try await browser.get("/?q=nothing-has-this&only=sessions")
                    #expect(other.status == 200 && !other.body.contains("/scenes/\(session)"))
                    for query in [
                        "q=%3Cscript%3E1", "q=%00", "q=%ff", "q=a&q=b", "page=-1", "page=1e9", "only=x&sort=%22",
                        "q=" + String(repeating: "%E2%80%AE", count: 2000),
                    ] {
                        let reply = try await browser.get("/?\(query)")
                        // An address may be too long.
                        #expect(reply.status == 200 || query.utf8.count > 8000 && (400..<500).contains(reply.status))
                        #expect(!reply.body.contains("<script>1"), "\(query.prefix(40))")
                        #expect(reply.body.utf8.count < 100_000)
                    }
                }
            }

            private struct AuditReply: Decodable {
                let peer: String
                let action: String
            }

            private struct EntryReply: Decodable {
                let key: String
                let owner: String
            }
        }
    }
#endif
