// A build without the trait has no console.
#if Console
    import Foundation
    import Monotonic
    import TestKit
    import Testing

    extension MachineTests {
        /// More connections than anybody needs, and pages that stay open for long.
        @Suite(.timeLimit(.minutes(5)))
        struct ConsoleConnectionTests {
            private static let connections = 10_000

            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            /// The resident memory of a process, in KiB.
            private func memory(of process: Int32) throws -> Int {
                let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
                let match = try #require(status.firstMatch(of: /VmRSS:\s+(\d+) kB/))
                return try #require(Int(match.1))
            }

            private func files(of process: Int32) throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
            }

            /// Opens connections that say nothing, or begin a request and do not end it.
            private func connect(_ count: Int, to port: Int) async throws -> [HTTPConnection] {
                var connections: [HTTPConnection] = []
                for number in 0..<count {
                    let connection = try HTTPConnection(port: port)
                    if number.isMultiple(of: 50) { try await connection.send("GET / HTTP/1.1\r\nHost: ") }
                    connections.append(connection)
                }
                return connections
            }

            /// Waits, with pauses that fit the ten thousand files that there may be to count.
            private func untilFiles(of process: Int32, _ condition: (Int) -> Bool) async throws {
                try await until("the console has those files", every: .milliseconds(100)) {
                    try condition(files(of: process))
                }
            }

            @Test(
                "With ten thousand connections of others a page is served and goes on, and when they have gone, so has what they took",
                .enabled(if: HTTPConnection.allow(11_000), "the system allows less than 11,000 open files"))
            func many() async throws {
                try await installation.withConsole { session in
                    let browser = try await installation.browser()
                    let process = try await installation.consoleProcess()
                    let stream = try await browser.events(of: session)
                    let first = try await stream.read { $0.contains("User name") }
                    let (memory, files) = (try memory(of: process), try files(of: process))
                    var others: [HTTPConnection]? = try await connect(Self.connections, to: browser.port)
                    try await untilFiles(of: process) { $0 >= files + Self.connections }
                    #expect(try await browser.get("/scenes/\(session)").body.contains("User name"))
                    try await installation.scenebus("scene", "act", session, "overview")
                    _ = try await stream.read(after: first) { $0.matches(of: /id: ?/).count >= 2 }
                    let full = try self.memory(of: process)
                    #expect(others?.count == Self.connections)
                    #expect(full - memory < Self.connections * 32, "\(memory) KiB, and \(full) KiB with them")
                    others = nil
                    try await untilFiles(of: process) { $0 < files + 10 }
                    // What they took is there for the next ones.
                    others = try await connect(Self.connections / 5, to: browser.port)
                    try await untilFiles(of: process) { $0 >= files + Self.connections / 5 }
                    #expect(try self.memory(of: process) - full < 16 << 10)
                    others = nil
                    #expect(try await browser.get("/scenes/\(session)").status == 200)
                }
            }

            @Test("A page that takes nothing is disconnected in time, and harms no other one")
            func takesNothing() async throws {
                try await installation.withConsole { session in
                    let browser = try await installation.browser()
                    let process = try await installation.consoleProcess()
                    let stream = try await browser.events(of: session)
                    let first = try await stream.read { $0.contains("User name") }
                    let files = try self.files(of: process)
                    // The first picture is more than this one has room for.
                    let stuck = try HTTPConnection(port: browser.port, receives: 2048)
                    try await stuck.send(browser.head("GET", "/scenes/\(session)/events") + "\r\n")
                    try await untilFiles(of: process) { $0 > files }
                    let memory = try self.memory(of: process)
                    try await installation.changeScreens(40, of: session, with: browser)
                    _ = try await stream.read(after: first) { $0.contains("Process 1") }
                    #expect(try self.memory(of: process) - memory < 32 << 10)
                    try await untilFiles(of: process) { $0 <= files }
                    #expect(try await browser.get("/scenes/\(session)").status == 200)
                }
            }

            @Test("Forms that come byte by byte are ended in time, harm no other browser, and leave their places")
            func slowForms() async throws {
                try await installation.withConsole { session in
                    let (browser, other) = (try await installation.browser(), try await installation.browser())
                    let act = "/scenes/\(session)/act"
                    let stream = try await other.events(of: session)
                    let first = try await stream.read { $0.contains("User name") }
                    var forms: [HTTPConnection] = []
                    let start = MonotonicInstant.now
                    // Each look takes a place for a moment, so a form may be refused for it. Another one comes then.
                    try await until("all places are taken") {
                        let form = try HTTPConnection(port: browser.port)
                        try await form.send(browser.head("POST", act) + "Content-Length: 1000\r\n\r\na")
                        forms.append(form)
                        return try await browser.post(act, ["action": "overview"]).status == 429
                    }
                    #expect(try await browser.get("/scenes/\(session)").status == 200)
                    #expect(try await other.post(act, ["action": "overview"]).status == 403)
                    // This is said every ten seconds. Until then, a connection without a byte is none that is idle.
                    _ = try await stream.read(after: first) { $0.contains("event: alive") }
                    var ended = 0
                    for form in forms {
                        // The end of a connection with a byte that nobody reads may be a reset.
                        try? await form.send("a")
                        if (try? await form.read { _ in false }) ?? "" == "" { ended += 1 }
                    }
                    #expect(ended >= 8)
                    #expect(.now - start < .seconds(29))
                    try await until("the places are free") {
                        try await browser.post(act, ["action": "overview"]).status == 403
                    }
                }
            }

            @Test("Pages that are left open connect again for a night, and neither the console nor the worker grows")
            func night() async throws {
                try await installation.withConsole { session in
                    let browser = try await installation.browser()
                    let console = try await installation.consoleProcess()
                    let shown: SessionReply = try await installation.scenebus("sessions", "show", session, "--json")
                        .json()
                    let worker = try #require(shown.pid)
                    var known: String?
                    func connectAgain(_ count: Int) async throws {
                        for _ in 0..<count {
                            let stream = try await browser.events(of: session, known: known)
                            let text = try await stream.read { [known] in
                                known == nil ? $0.contains("User name") : $0.contains("retry: 500")
                            }
                            known = text.firstMatch(of: /id: ?(\S+)/).map { String($0.1) } ?? known
                        }
                    }
                    try await connectAgain(300)
                    let before = (try memory(of: console), try memory(of: worker))
                    try await connectAgain(1500)
                    let after = (try memory(of: console), try memory(of: worker))
                    #expect(after.0 - before.0 < 8 << 10 && after.1 - before.1 < 2 << 10, "\(before), \(after) KiB")
                    #expect(try await browser.events(of: session, known: known).read { $0.contains("retry:") } != "")
                    #expect(try await installation.scenebus("scene", "show", session).output.contains("User name"))
                }
            }
        }
    }

    extension HTTPConnection {
        /// Allows this process a number of open files.
        /// - Returns: whether the system does.
        fileprivate static func allow(_ files: UInt) -> Bool {
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
            limit.rlim_cur = max(limit.rlim_cur, min(rlim_t(files), limit.rlim_max))
            return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 && limit.rlim_cur >= files
        }
    }
#endif
