import Bus
import CoordinatorKit
import TestKit
import Testing
import ZeroMQ

@testable import Hub
@testable import SceneHost

extension LiveTests {
    /// A host whose handlers keep its loop busy.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct SlowHandlerTests {
        @Test("Peers keep their links while a host with slow handlers works off what they have sent")
        func manySenders() async throws {
            let delegate = SlowDelegate()
            try await withHost(delegate: delegate, handles: [SlowMessagesList.self]) { live in
                let other = try live.raw(staysAttached: false)
                _ = try await other.hello("other")
                let count = 60
                let senders = try (0..<count).map { _ in try live.raw(staysAttached: false) }
                for (number, sender) in senders.enumerated() { _ = try await sender.hello("sender\(number)") }
                let names = Set(["other"] + (0..<count).map { "sender\($0)" })
                // The silence that counts is shorter than a round, which takes 1.2 s.
                for link in live.host.hub.links.values where names.contains(link.name) {
                    link.traffic.liveness = Liveness(interval: .milliseconds(200), now: .now)
                }
                var request = Frame(.request)
                request.name = "slowWork"
                request.payload = [0xA0]
                for sender in senders {
                    var message: [UInt8] = []
                    for id in 1...2 as ClosedRange<UInt64> {
                        request.id = id
                        message += request.encoded()
                    }
                    try sender.send(message)
                    // It is read when no first message is left.
                    try sender.sendHeartbeat()
                }
                while delegate.handled < 2 * count {
                    try other.sendHeartbeat()
                    _ = try await other.next(.heartbeat)
                }
                #expect(names.isSubset(of: Set(live.host.hub.links.values.map(\.name))))
                for sender in senders {
                    for id in 1...2 as ClosedRange<UInt64> { #expect(try await sender.next(.reply).id == id) }
                }
            }
        }

        @Test("A peer learns that the host is not silent while the host handles what the peer has sent")
        func posts() async throws {
            let delegate = SlowDelegate()
            try await withHost(delegate: delegate, handles: [SlowMessagesList.self]) { live in
                let sender = try live.raw()
                _ = try await sender.hello("sender")
                var post = Frame(.post)
                post.name = "slowTell"
                post.payload = [0xA0]
                for _ in 1...2 { try sender.send(Array((0..<100).map { _ in post.encoded() }.joined())) }
                var beats = 0
                while delegate.handled < 120 {
                    try await sender.nextUnsolicitedHeartbeat()
                    beats += 1
                }
                #expect(beats > 1)
                try await live.until("all posts are handled", within: .seconds(60)) { delegate.handled == 200 }
            }
        }
    }
}

@ResponderMessages
private protocol SlowMessages {
    func slowWork() async throws
    func slowTell()
}

extension ResponderChain: SlowMessages {}

@MainActor
private final class SlowDelegate: AppDelegate, SlowMessages {
    private(set) var handled = 0

    func slowWork() async throws { work() }
    func slowTell() { work() }

    private func work() {
        handled += 1
        let end = MonotonicInstant.now + .milliseconds(20)
        while MonotonicInstant.now < end {}
    }
}
