import Messaging
import Hub
import TestKit
import Bus
import CBOR
import CoordinatorKit
import PeerLink
import PluginKit
import SceneWorker
import Testing
import ZeroMQ

@testable import SceneHost

/// A plugin as a user writes it, with the same set-up for its own process and for linking into the host.
private enum TotalPlugin {
    @MainActor
    static func setUp(_ plugin: Plugin) {
        plugin.respond(Adder(), to: TotalMessagesList.self)
        plugin.appDependency.total = plugin.configuration["start"]?.intValue ?? 0
    }
}

extension LiveTests {
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct InProcessPluginTests {
        @Test("A plugin that is linked into the host replies as one in its own process does")
        func answers() async throws {
            try await withHost { live in
                let plugin = try Plugin(
                    id: "total", provides: ["total"], configuration: ["start": 40], in: live.host.inProcess,
                    logger: LiveHost.logger, setUp: TotalPlugin.setUp)
                try await live.attach(plugin, named: "total") { try await plugin.run() }
                let worker = try await live.worker("wall")
                try await live.until("the worker has the first value") {
                    worker.application.delegate.appDependency?.total == 40
                }
                let client = try await live.client()
                #expect(try await client.chain.totalAdd(amount: 2) == 42)
                try await live.until("the value is new") { worker.application.delegate.appDependency?.total == 42 }
                let status = try await client.chain.hostStatus()
                #expect(try await client.chain.hostLinks().contains { $0.peer == "total" && $0.role == .plugin })
                #expect(!status.endpoints.contains { $0.hasPrefix("inproc") })
            }
        }

        @Test("A second plugin of the same id is refused with the reason, and the first one keeps running")
        func sameID() async throws {
            try await withHost { live in
                @MainActor func plugin() throws -> Plugin {
                    try Plugin(
                        id: "total", provides: ["total"], in: live.host.inProcess, logger: LiveHost.logger,
                        setUp: TotalPlugin.setUp)
                }
                let first = try plugin()
                try await live.attach(first, named: "total") { try await first.run() }
                let link = live.link(named: "total")?.id
                let error = await #expect(throws: NameTaken.self) { try await plugin().run() }
                #expect(error?.description.contains("'total'") == true)
                #expect(try await live.client().chain.totalAdd(amount: 2) == 2)
                #expect(live.link(named: "total")?.id == link)
                await live.stop(first)
                let next = try plugin()
                try await live.attach(next, named: "total") { try await next.run() }
            }
        }

        @Test("A linked plugin may be started before its host")
        func before() async throws {
            let folder = try TemporaryFolder()
            var configuration = try HostConfiguration(name: "early")
            configuration.directory = HostDirectory(folder: "\(folder.path)/run")
            let host = AppHost(configuration, logger: LiveHost.logger)
            let plugin = try Plugin(
                id: "total", provides: ["total"], in: host.inProcess, logger: LiveHost.logger,
                setUp: TotalPlugin.setUp)
            let (attachments, attachment) = AsyncStream<Void>.makeStream()
            plugin.onAttach = { attachment.yield() }
            let peer = Task { try await plugin.run() }
            await Task.yield()
            let main = Task { try await host.run() }
            var iterator = attachments.makeAsyncIterator()
            await iterator.next(isolation: MainActor.shared)
            #expect(plugin.appDependency.total == 0)
            peer.cancel()
            try await peer.value
            main.cancel()
            try await main.value
            #expect(host.inProcess.context.openSockets == 0)
        }

        @Test("An error in a plugin's set-up is thrown from its initializer")
        func setUpFails() throws {
            let host = try AppHost(HostConfiguration(name: "unused"), logger: LiveHost.logger)
            #expect(throws: Rudeness.self) {
                try Plugin(id: "broken", in: host.inProcess, logger: LiveHost.logger) { _ in
                    throw Rudeness(code: "broken")
                }
            }
        }
    }
}
