// A build without the trait has no console.
#if Console
    import ConsoleMessages
    import Messaging
    import Testing

    @testable import console_plugin

    /// Whose messages the console does what they ask for.
    @Suite(.timeLimit(.minutes(5)))
    @MainActor
    struct OperatorsOnlyTests {
        private static let others: [(MessageActor?, String?)] = [
            (MessageActor(role: .worker, peer: "wall-1", key: "wall"), nil),
            (MessageActor(role: .worker, peer: "local"), nil),
            (MessageActor(role: .plugin, peer: "shop", key: "shop"), nil),
            (MessageActor(role: .monitor, peer: "eye", key: "eye"), nil),
            // A program's user, and what a scene sends because of an operator.
            (MessageActor(role: .operator, peer: "kiosk-1", key: "kiosk", user: "anna"), nil),
            (MessageActor(role: .operator, peer: "desk-1", key: "desk"), "s"),
            (nil, nil),
        ]

        @Test("Nobody but an operator gets a link or a screen, is told of screens, revokes one or logs others out")
        func refused() async throws {
            let night = try NightConsole(open: [])
            _ = try await night.handle {
                try await $0.consoleWall(configuration: "Sign", name: "door", url: nil, access: nil)
            }
            let messages: [@MainActor (ConsoleResponder) async throws -> Void] = [
                { _ = try await $0.consoleLink() },
                { _ = try await $0.consoleWall(configuration: "Sign", name: "hall", url: nil, access: nil) },
                { _ = try await $0.consoleWalls() },
                { try await $0.consoleRevokeWall(name: "door") },
                { _ = try await $0.consoleLogOutAll() },
            ]
            for (actor, session) in Self.others {
                for message in messages {
                    let error = try await #require(throws: OperatorsOnly.self) {
                        try await night.handle(from: actor, in: session, message)
                    }
                    #expect(error.code == "unauthorized" && error.description.contains("scenebus request"), "\(error)")
                }
            }
            #expect(night.console.walls.all.map(\.name) == ["door"])
            #expect(night.loggedSenders == ["operator 'desk-1'"])
        }

        @Test("An operator gets a link, with a key and without, and the log says who has asked, without the link")
        func link() async throws {
            let night = try NightConsole(open: [])
            let actors = [
                MessageActor(role: .operator, peer: "local-1"),
                MessageActor(role: .operator, peer: "desk-1", key: "desk"),
            ]
            for actor in actors {
                let link = try await night.handle(from: actor) { try await $0.consoleLink() }
                #expect(await NightBrowser(night.console, cookie: nil).get(link.path)?.location == "/")
            }
            #expect(night.loggedSenders == ["operator 'local-1'", "operator 'desk-1', with the key desk"])
            #expect(night.log.filter { $0.contains("given") }.allSatisfy { !$0.contains("token") })
        }
    }

    extension String {
        /// The path and the query of an address.
        fileprivate var path: String { "/" + split(separator: "/", maxSplits: 2).dropFirst(2).joined() }
    }
#endif
