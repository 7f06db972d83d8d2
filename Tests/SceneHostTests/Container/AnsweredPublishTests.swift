import Bus
import CoordinatorKit
import Messaging
import PluginKit
import TestKit
import Testing

@testable import Hub
@testable import SceneHost

extension LiveTests {
    /// What a peer learns of the entries that it has set.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct AnsweredPublishTests {
        private func publish(_ entries: [String: [UInt8]?], number: UInt64) -> [UInt8] {
            var frame = Frame(.publish)
            frame.part = number
            frame.payload = DependencyPayload.encode(DependencyEntries(entries))[...]
            return frame.encoded()
        }

        @Test("Each publish with a number is answered with what was refused, and others are not")
        func answers() async throws {
            try await withHost { live in
                let raw = try live.raw()
                let answer = try await raw.hello("p", provides: ["a"])
                #expect(try answer.decodePayload(as: Welcome.self).publishes == PublishAnswer.maximumUnanswered)
                try raw.send(publish(["a": [1]], number: 0))
                try raw.send(publish(["a": [2]], number: 1))
                var frame = try await raw.next(.publish)
                #expect(frame.part == 1 && frame.revision == live.host.hub.head)
                #expect(try frame.decodePayload(as: PublishAnswer.self) == PublishAnswer())
                try raw.send(publish(["a": [3], "b": [1]], number: 2))
                frame = try await raw.next(.publish)
                let refused = try frame.decodePayload(as: PublishAnswer.self).refused
                #expect(refused.map(\.key) == ["b"])
                #expect(refused.first?.reason.contains("provides") == true)
                var unreadable = Frame(.publish)
                unreadable.part = 3
                unreadable.payload = [0xFF]
                try raw.send(unreadable.encoded())
                frame = try await raw.next(.publish)
                #expect(frame.part == 3)
                #expect(try frame.decodePayload(as: PublishAnswer.self).refused.first?.reason == "it cannot be read")
            }
        }

        @Test("An answer names a bounded number of entries")
        func many() {
            var answer = PublishAnswer()
            answer.refuse(
                (0..<100).map { "key \($0)" + String(repeating: "x", count: 400) }, String(repeating: "y", count: 999))
            #expect(answer.refused.count == 32 && answer.more == 68)
            #expect(answer.refused.allSatisfy { $0.key.count == 192 && $0.reason.count == 200 })
        }

        @Test("A plugin is told of an entry for which the host has no room, and sets it later")
        func plugin() async throws {
            try await withHost { live in
                var refused: [EntryRefused] = []
                let plugin = try await live.plugin("p", provides: ["total", "large"]) {
                    $0.onRefused = { refused.append($0) }
                }
                let link = try #require(live.link(named: "p"))
                let room = PeerAccount.limit - link.traffic.account.total - 1000
                let isKept = link.traffic.account.keep(room, for: .requests)
                #expect(isKept)
                plugin.appDependency.setValue(String(repeating: "x", count: 2000), of: "large")
                try await live.until("the plugin is told") { !refused.isEmpty }
                #expect(refused.map(\.key) == ["large"])
                #expect(refused[0].reason.contains("no room"), "\(refused[0])")
                for number in 1...200 { plugin.appDependency.total = number }
                try await live.until("the last value has arrived") {
                    live.host.application.delegate.appDependency?.total == 200
                }
            }
        }
    }
}
