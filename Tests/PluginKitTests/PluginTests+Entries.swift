import Bus
import CBOR
import Messaging
import TestKit
import Testing

@testable import PeerLink
@testable import PluginKit

/// The entries that a plugin sets, and its copy of the host's container.
extension PluginTests {
    @Test("On attaching, a plugin publishes all entries it provides, and removes those that it has not set")
    func publishesAll() async throws {
        try await withPlugin { plugin, _ in
            plugin.appDependency.shelf = 7
        } _: { host, _, _ in
            let first = try #require(host.published.first)
            #expect(Set(first.keys) == ["shelf", "shelfOwner"])
            #expect(first["shelf"] == [7])
            #expect(first["shelfOwner"] == .some(nil))
            // The plugin does the same for the next host.
            let before = host.published.count
            host.say(Frame(.goodbye).encoded())
            try await host.until("the plugin has published its entries again") { host.published.count > before }
            #expect(host.published[before] == first)
        }
    }

    @Test("Each change of an entry is published, in its order")
    func changes() async throws {
        try await withPlugin { host, plugin, _ in
            let before = host.published.count
            plugin.appDependency.shelf = 8
            plugin.appDependency.shelf = nil
            try await host.until("both changes have arrived") { host.published.count >= before + 2 }
            #expect(host.published[before] == ["shelf": [8]])
            #expect(host.published[before + 1] == ["shelf": nil])
            #expect(host.published.count == before + 2)
        }
    }

    @Test("Setting an entry that the plugin does not provide fails and is reported")
    func notProvided() async throws {
        try await withPlugin { host, plugin, _ in
            var refused: [String] = []
            plugin.onRefused = { refused.append($0.key) }
            let before = host.published.count
            plugin.appDependency.elsewhere = 1
            #expect(refused == ["elsewhere"])
            #expect(plugin.appDependency.elsewhere == nil)
            #expect(throws: EntryRefused.self) { try plugin.set(\.elsewhere, to: 1) }
            try plugin.set(\.shelf, to: 2)
            try await host.until("the other entry has arrived") { host.published.count > before }
            #expect(host.published[before] == ["shelf": [2]])
        }
    }

    @Test("The host's entries appear in the plugin's container, and do not replace the plugin's own")
    func container() async throws {
        try await withPlugin { plugin, _ in
            plugin.appDependency.shelf = 7
        } _: { host, plugin, _ in
            var delta = Frame(.delta)
            (delta.epoch, delta.previous, delta.revision) = (1, 1, 2)
            delta.payload = DependencyPayload.encode(["elsewhere": [5], "shelf": [9]])[...]
            try host.publish(delta.encoded())
            try await host.until("the change has arrived") { plugin.appDependency.elsewhere == 5 }
            #expect(plugin.appDependency.shelf == 7)
        }
    }

    @Test("Setting an entry whose value is too large is an error, and nothing is set")
    func tooLarge() async throws {
        try await withPlugin { host, plugin, _ in
            let text = String(repeating: "x", count: 17 << 20)
            #expect(throws: EntryRefused.self) { try plugin.set(\.shelfOwner, to: text) }
            #expect(plugin.appDependency.shelfOwner == nil)
        }
    }

    @Test("Entries of the host's earlier life that nobody sets again disappear, the list of absent peers at once")
    func nextLife() async throws {
        try await withPlugin { host, plugin, _ in
            let link = try #require(plugin.peer?.link)
            var delta = Frame(.delta)
            (delta.epoch, delta.previous, delta.revision) = (1, 1, 2)
            let absent = try CBOREncoder().encode(["elsewhere"])
            delta.payload = DependencyPayload.encode(["elsewhere": [5], AppDependency.absentKey: absent])[...]
            try host.publish(delta.encoded())
            try await host.until("the change has arrived") { plugin.appDependency.isOwnerGone(of: \.elsewhere) }
            host.epoch = 2
            host.say(Frame(.goodbye).encoded())
            try await host.until("it is attached to the next life") { link.isReady && link.welcome?.epoch == 2 }
            #expect(plugin.appDependency.isOwnerGone(of: \.elsewhere) == false)
            // Its owner has some time to return.
            #expect(plugin.appDependency.elsewhere == 5)
            let later = link.replica.received(beacon: 1, at: .now + .seconds(60))
            #expect(later == [.apply(["elsewhere": nil])])
        }
    }
}
