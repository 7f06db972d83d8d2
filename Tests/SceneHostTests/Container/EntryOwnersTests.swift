import TestKit
@testable import Hub
import Bus
import CBOR
import CoordinatorKit
import PluginKit
import SceneWorker
import Testing

@testable import SceneHost

/// Entries of absent peers.
@Suite(.timeLimit(.minutes(5)))
struct EntryOwnersTests {
    private let start = MonotonicInstant.now

    @Test("The keys of absent peers' entries are listed until the peers return or others set the entries")
    func absent() {
        var owners = EntryOwners()
        owners.set(["b": [1], "a": [1]], by: "clock")
        owners.set(["c": [1]], by: "wall")
        owners.set(["d": [1]], by: "")
        #expect(owners.tellAbsentKeys() == [])
        owners.detached("clock", at: start)
        owners.detached("nobody", at: start)
        #expect(owners.isNews)
        #expect(owners.tellAbsentKeys() == ["a", "b"])
        #expect(owners.absence(of: "clock", at: start + .seconds(5)) == .seconds(5))
        #expect(owners.absence(of: "wall", at: start) == nil)
        // A present peer's changes do not change the list.
        owners.attached("wall", sharing: "process 1")
        owners.set(["c": [2]], by: "wall")
        #expect(!owners.isNews)
        owners.set(["a": [2]], by: "wall")
        #expect(owners.isNews)
        #expect(owners.tellAbsentKeys() == ["b"])
        owners.attached("clock", sharing: "process 2")
        #expect(owners.tellAbsentKeys() == [])
        owners.set(["b": nil], by: "clock")
        owners.detached("clock", at: start)
        #expect(owners.tellAbsentKeys() == [])
    }

    @Test("Owners of one key share its part of the room, and take their entries along when they come back with another")
    func shared() {
        var owners = EntryOwners()
        let entry = ["a": [1]] as [String: [UInt8]?]
        owners.attached("wall-1", sharing: "key wall")
        owners.set(entry, by: "wall-1")
        let size = owners.size(of: "wall-1")
        owners.attached("wall-2", sharing: "key wall")
        owners.set(["b": [1]], by: "wall-2")
        #expect(owners.sharedSize(of: "wall-1") == 2 * size)
        #expect(owners.sharedSize(of: "wall-2") == 2 * size)
        // An entry that one takes over from the other is counted once.
        owners.set(entry, by: "wall-2")
        #expect(owners.size(of: "wall-1") == 0)
        #expect(owners.sharedSize(of: "wall-1") == 2 * size)
        owners.detached("wall-2", at: start)
        #expect(owners.sharedSize(of: "wall-1") == 2 * size)
        owners.attached("wall-2", sharing: "process 7")
        #expect(owners.sharedSize(of: "wall-1") == 0)
        #expect(owners.sharedSize(of: "wall-2") == 2 * size)
        owners.set(["a": nil, "b": nil], by: "wall-2")
        #expect(owners.sharedSize(of: "wall-2") == 0)
        #expect(owners.size == 0)
    }

    @Test("The list of absent keys is limited to what one delta holds")
    func many() {
        var owners = EntryOwners()
        let changes = Dictionary(uniqueKeysWithValues: (0..<12_000).map { ("key\($0)", [UInt8(1)] as [UInt8]?) })
        owners.set(changes, by: "clock")
        owners.detached("clock", at: start)
        let told = owners.tellAbsentKeys()
        #expect(told.count > 400)
        #expect(told.reduce(0) { $0 + $1.utf8.count + 3 } <= EntryOwners.maximumSize)
        #expect(told == told.sorted())
    }
}

extension LiveTests {
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct OwnerGoneTests {
        @Test("An entry whose plugin is absent is marked for operators and in every container until the plugin returns")
        func marked() async throws {
            try await withHost { live in
                let worker = try await live.worker("wall")
                @MainActor func isGone() -> Bool {
                    worker.application.delegate.appDependency?.isOwnerGone(of: \.greeting) ?? false
                }
                let first = try await live.plugin("greeter", provides: ["greeting"]) {
                    $0.appDependency.greeting = "hello"
                }
                try await live.until("the entry has arrived") {
                    worker.application.delegate.appDependency?.greeting == "hello"
                }
                #expect(!isGone())
                let client = try await live.client()
                #expect(try await client.chain.hostDependencies(after: nil).entries.map(\.ownerGoneSeconds) == [nil])
                await live.stop(first)
                try await live.until("the worker sees that the plugin is absent") { isGone() }
                #expect(worker.application.delegate.appDependency?.greeting == "hello")
                #expect(worker.application.delegate.appDependency?.isOwnerGone(of: \.total) == false)
                #expect(live.host.application.delegate.appDependency?.isOwnerGone(of: \.greeting) == true)
                let entry = try #require(
                    try await client.chain.hostDependencies(after: nil).entries.first { $0.key == "greeting" })
                #expect(try #require(entry.ownerGoneSeconds) >= 0)
                try await live.plugin("greeter", provides: ["greeting"]) { $0.appDependency.greeting = "hello" }
                try await live.until("the plugin is back") { !isGone() }
                #expect(try await client.chain.hostDependencies(after: nil).entries.map(\.key) == ["greeting"])
            }
        }

        @Test("A peer that would set the host's own entry is refused")
        func reserved() async throws {
            try await withHost { live in
                let raw = try live.raw()
                let answer = try await raw.hello("forger", provides: ["scenebus.absent"])
                let refusal = try answer.decodePayload(as: Refusal.self)
                #expect(refusal.code == .malformed)
                #expect(refusal.reason.contains("scenebus.absent"))
            }
        }

        @Test("A plugin that sets an entry it does not provide gets an error, and its other entries are published")
        func refused() async throws {
            try await withHost { live in
                let plugin = try await live.plugin("greeter", provides: ["greeting"])
                var refused: [EntryRefused] = []
                plugin.onRefused = { refused.append($0) }
                var container = plugin.appDependency
                container.total = 5
                container.greeting = "hello"
                plugin.appDependency = container
                #expect(refused.map(\.key) == ["total"])
                #expect(refused.first?.description.contains("'provides'") == true)
                #expect(plugin.appDependency.total == nil)
                #expect(plugin.appDependency.greeting == "hello")
                try await live.until("the other entry has arrived") {
                    live.host.application.delegate.appDependency?.greeting == "hello"
                }
                #expect(throws: EntryRefused.self) { try plugin.set(\.total, to: 6) }
                try plugin.set(\.greeting, to: "again")
                #expect(plugin.appDependency.greeting == "again")
                #expect(refused.count == 1)
                #expect(live.host.hub.counters.values["refused: entry not provided"] == nil)
            }
        }

        @Test("The host, too, refuses an entry that a peer does not provide")
        func refusedByHost() async throws {
            try await withHost { live in
                let raw = try live.raw()
                #expect(try await raw.hello("forger", provides: ["greeting"]).kind == .welcome)
                var frame = Frame(.publish)
                frame.payload = DependencyPayload.encode(["total": try CBOREncoder().encode(5)])[...]
                try raw.send(frame.encoded())
                try await live.until("the entry is counted as refused") {
                    live.host.hub.counters.values["refused: entry not provided"] == 1
                }
                #expect(live.host.application.delegate.appDependency?.total == nil)
            }
        }

        @Test("A publish with more entries than a hello may list is dropped as a whole, and one with as many is read")
        func tooManyEntries() async throws {
            try await withHost { live in
                let raw = try live.raw()
                #expect(try await raw.hello("flood", provides: ["greeting"]).kind == .welcome)
                @MainActor func publish(unlisted count: Int) throws {
                    var entries: [String: [UInt8]?] = ["greeting": try CBOREncoder().encode("hello")]
                    for number in 0..<count { entries.updateValue([1], forKey: "key\(number)") }
                    var frame = Frame(.publish)
                    frame.payload = DependencyPayload.encode(entries)[...]
                    try raw.send(frame.encoded())
                }
                try publish(unlisted: Hello.maximumNames)
                try await live.until("the publish is dropped") {
                    live.host.hub.counters.values["dropped: publish with too many entries"] == 1
                }
                #expect(live.host.container.entries.entry(of: "greeting") == nil)
                #expect(live.host.hub.counters.values["refused: entry not provided"] == nil)
                try publish(unlisted: Hello.maximumNames - 1)
                try await live.until("the listed entry is set") {
                    live.host.container.entries.entry(of: "greeting")?.owner == "flood"
                }
                #expect(live.host.hub.counters.values["refused: entry not provided"] == 1)
            }
        }

        @Test("A reply or failure has the request's name, whatever name its handler sends")
        func nameOfEnd() async throws {
            try await withHost { live in
                let handler = try live.raw()
                #expect(try await handler.hello("greeter", handles: ["greetingSay"]).kind == .welcome)
                let sender = try live.raw()
                #expect(try await sender.hello("asker").kind == .welcome)
                for kind in [FrameKind.reply, .failure] {
                    var request = Frame(.request)
                    request.id = 7
                    request.name = "greetingSay"
                    request.payload = try CBOREncoder().encode(["name": "Ada"])[...]
                    try sender.send(request.encoded())
                    var end = Frame(kind)
                    end.id = try await handler.next("greetingSay").id
                    end.name = "somethingElse"
                    try handler.send(end.encoded(payload: "hello"))
                    #expect(try await sender.next(kind).name == "greetingSay")
                }
            }
        }
    }
}
