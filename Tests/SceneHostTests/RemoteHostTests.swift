import Bus
import CoordinatorKit
import Hub
import OperatorKit
import PluginKit
import TestKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// A program that operates a host from outside.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct RemoteHostTests {
        @Test("A client opens a session, lists it, reads what its scene shows, and closes it")
        func sessions() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let host = try await RemoteHost(live.ipc)
                defer { host.close() }
                let opened = try await host.openSession("Wall", id: "door")
                #expect(opened.id == "door")
                #expect(opened.state == .running)
                #expect(opened.worker == "wall")
                #expect(try await host.sessions() == [opened])
                #expect(try await host.sessions(of: "wall") == [opened])
                let unknown = await #expect(throws: RemoteError.self) { try await host.sessions(of: "other") }
                #expect(unknown?.code == "unknownWorker")
                let shown = try await host.screen(of: "door")
                #expect(try await live.client().chain.hostSceneContent(session: "door") == shown)
                let acted = try await host.act("keep", in: "door", fields: ["text": "a note"])
                #expect(try await host.screen(of: "door") == acted)
                let missing = await #expect(throws: RemoteError.self) {
                    try await host.act("add", in: "nowhere")
                }
                #expect(missing?.code == "unknownSession")
                try await host.closeSession("door")
                #expect(try await host.sessions() == [])
            }
        }

        @Test("A client and a plugin act for users of their own")
        func users() async throws {
            let delegate = GreetingDelegate()
            try await withHost(delegate: delegate, handles: [GreetingMessagesList.self]) { live in
                let host = try await RemoteHost(live.ipc)
                defer { host.close() }
                _ = try await host.acting(for: "anna").chain.greetingSay(name: "Ada")
                #expect(delegate.heard.last?.actor?.user == "anna")
                _ = try await host.chain.greetingSay(name: "Ada")
                #expect(delegate.heard.last?.actor?.user == nil)
                let plugin = try await live.plugin("console")
                _ = try await plugin.chain(actingFor: "ben").greetingSay(name: "Ada")
                #expect(delegate.heard.last?.actor == MessageActor(role: .plugin, peer: "console", user: "ben"))
                #expect(delegate.heard.last?.actor?.description == "plugin 'console' for 'ben'")
                for user in ["", "-", String(repeating: "x", count: 300)] {
                    let error = await #expect(throws: MessageError.self) {
                        try await host.acting(for: user).chain.greetingSay(name: "Ada")
                    }
                    #expect(error?.code == .malformed && error?.detail.contains("begins with a letter") == true)
                }
                #expect(delegate.heard.count == 3)
            }
        }

        @Test("A plugin's user acts of their own accord, also while the plugin handles another's message")
        func usersWhileHandling() async throws {
            let delegate = GreetingDelegate()
            try await withHost(delegate: delegate, handles: [GreetingMessagesList.self]) { live in
                let console = ActingGreeter()
                try await live.plugin("console") { $0.respond(console, to: GreetingMessagesList.self) }
                let host = try await RemoteHost(live.ipc)
                defer { host.close() }
                _ = try await host.acting(for: "root").chain.greetingSay(name: "Ada")
                #expect(delegate.heard.map(\.actor) == [MessageActor(role: .plugin, peer: "console", user: "anna")])
            }
        }

        @Test("Two clients of one process both stay attached")
        func two() async throws {
            try await withHost { live in
                let first = try await RemoteHost(live.ipc)
                let second = try await RemoteHost(live.ipc)
                defer { for host in [first, second] { host.close() } }
                let links = Set(live.host.hub.links.keys)
                for host in [first, second, first] { #expect(try await host.sessions() == []) }
                #expect(Set(live.host.hub.links.keys) == links)
            }
        }

        @Test("The list of sessions comes when it has changed, and a closed client ends it")
        func changes() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let host = try await RemoteHost(live.ipc)
                var lists = host.sessionChanges(every: .milliseconds(10)).makeAsyncIterator()
                #expect(try await lists.next() == [])
                let opened = try await host.openSession("Wall")
                #expect(try await lists.next()?.map(\.id) == [opened.id])
                host.close()
                await #expect(throws: MessageError.self) { try await lists.next() }
            }
        }

        @Test("A wrong argument, and a host that is not there, are errors with the exit code")
        func errors() async throws {
            let folder = try TemporaryFolder()
            let missing = "ipc://\(folder.path)/bus"
            for (address, name, timeout, code) in [
                ("nonsense", nil, 10, .usage), (nil, "no name!", 10, .usage), (missing, nil, 0, .usage),
                (missing, nil, 10, .unreachable),
            ] as [(String?, String?, Int, ProcessExitCode)] {
                let error = await #expect(throws: (any Error).self) {
                    _ = try await RemoteHost(address, name: name, timeout: .seconds(timeout))
                }
                #expect((error as? any ExitCoded)?.exitCode == code, "\(String(describing: error))")
            }
        }
    }
}
