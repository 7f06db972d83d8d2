// A build without the trait has no console.
#if Console
    import ConsoleModel
    import Messaging
    import Testing

    @testable import console_plugin

    /// Whose messages the console does what they ask for.
    @Suite(.timeLimit(.minutes(5)))
    @MainActor
    struct OperatorsOnlyTests {
        private static let desk = MessageActor(role: .operator, peer: "desk-1", key: "desk")
        private static let others: [(actor: MessageActor?, session: String?, parent: UInt64)] = [
            (MessageActor(role: .worker, peer: "wall-1", key: "wall"), nil, 0),
            (MessageActor(role: .worker, peer: "local"), nil, 0),
            (MessageActor(role: .plugin, peer: "shop", key: "shop"), nil, 0),
            (MessageActor(role: .monitor, peer: "eye", key: "eye"), nil, 0),
            (MessageActor(role: .operator, peer: "kiosk-1", key: "kiosk", user: "anna"), nil, 0),
            // What a scene and what a plugin send because of an operator.
            (desk, "s", 0), (desk, nil, 7),
            (nil, nil, 0),
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
            for (actor, session, parent) in Self.others {
                for message in messages {
                    let error = try await #require(throws: OperatorsOnly.self) {
                        try await night.handle(from: actor, in: session, because: parent, message)
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
            for actor in [MessageActor(role: .operator, peer: "local-1"), Self.desk] {
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
