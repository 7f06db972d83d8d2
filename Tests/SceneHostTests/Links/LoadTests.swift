import Messaging
import TestKit
@testable import Hub
import Bus
import CoordinatorKit
import PeerLink
import SceneWorker
import Testing
import ZeroMQ

@testable import SceneHost

extension LiveTests {
    /// Many peers at once, and peers that do not read.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct LoadTests {
        @Test("When many peers connect at once, some are told to retry, and all are attached in the end")
        func manyAtOnce() async throws {
            try await withHost { live in
                let client = try await live.client()
                // At one more per second, the rest are told to retry even when a busy machine reads their hellos
                // slowly.
                live.host.hub.admission.newcomers = AdmissionRate(burst: 100, rate: 1)
                let links = (0..<300).map { number in
                    Link(
                        LinkConfiguration(
                            endpoint: live.ipc, role: .worker, peer: "peer\(number)", context: live.context))
                }
                defer { for link in links { link.stop() } }
                var busy = 0
                let events = links.map { LinkEvents($0) }
                defer { withExtendedLifetime(events) {} }
                for (link, events) in zip(links, events) {
                    events.onLost = { if case .refused(let refusal) = $0, refusal.code == .busy { busy += 1 } }
                    link.start()
                }
                try await live.until("some peers are told to retry") { busy > 0 }
                live.host.hub.admission.newcomers = .newcomers
                try await live.until("all peers are attached", within: .seconds(60)) { links.allSatisfy(\.isReady) }
                #expect(live.host.hub.counters.values["refused: busy"] == UInt64(busy))
                _ = try await client.chain.hostStatus()
            }
        }

        @Test("Plugins and operators are admitted however many workers connect")
        func othersFirst() async throws {
            try await withHost { live in
                live.host.hub.admission.newcomers = AdmissionRate(burst: 100, rate: 1)
                var kinds: [PeerRole: Set<FrameKind>] = [:]
                // More workers than are admitted in one burst and meanwhile. All send a hello before any is answered.
                let workers = try (0..<300).map { _ in try live.raw() }
                for (number, raw) in workers.enumerated() { try raw.sendHello("worker\(number)", role: .worker) }
                for raw in workers { kinds[.worker, default: []].insert(try await raw.next().kind) }
                for (number, role) in [PeerRole.plugin, .operator, .plugin, .operator].enumerated() {
                    kinds[role, default: []].insert(try await live.raw().hello("other\(number)", role: role).kind)
                }
                #expect(kinds == [.worker: [.welcome, .refusal], .plugin: [.welcome], .operator: [.welcome]])
            }
        }

        @Test("A large change is not published as a delta; peers learn of it from a beacon and request it")
        func largeChange() async throws {
            try await withHost { live in
                let raw = try live.raw(.subscriber, to: live.configuration.directory.publisher)
                try raw.subscribe(Frame.topic(.delta))
                try raw.subscribe(Frame.topic(.beacon))
                _ = try await raw.next(.beacon)
                let worker = try await live.worker("wall")
                let text = String(repeating: "x", count: Hub.largestDelta)
                live.host.application.delegate.appDependency?.greeting = text
                let revision = live.host.container.entries.revision
                while true {
                    let frame = try await raw.next()
                    #expect(frame.kind == .beacon)
                    if frame.revision == revision { break }
                }
                try await live.until("the worker has the entry") {
                    worker.application.delegate.appDependency?.greeting == text
                }
                live.host.application.delegate.appDependency?.greeting = "small"
                #expect(try await raw.next(.delta).revision == revision + 1)
            }
        }

        @Test("A subscriber that does not read has a bounded number of bytes queued, however much is published")
        func stuckSubscriber() async throws {
            try await withHost { live in
                // This socket is not read. libzmq takes one message, and the kernel's buffers hold some more.
                var options = SocketOptions()
                options.receiveHighWaterMark = 1
                let stuck = try Socket(.subscriber, in: live.context, options: options)
                try stuck.connect(live.configuration.directory.publisher)
                try stuck.subscribe(Frame.topic(.delta))
                let reader = try live.raw(.subscriber, to: live.configuration.directory.publisher)
                try reader.subscribe(Frame.topic(.delta))
                // Subscriptions of two connections are not ordered: both exist when both subscribers have received a
                // delta.
                var first: Socket.Part?
                try await live.until("both subscriptions have reached the publisher") {
                    let next = live.host.container.entries.revision
                    live.host.application.delegate.appDependency?.total = Int(next)
                    first = try first ?? stuck.receive()
                    return first != nil
                }
                let size = Hub.largestDelta - 100
                let count = 3 * Hub.publisherHighWaterMark
                for number in 0..<count {
                    let letter = number % 2 == 0 ? "x" : "y"
                    live.host.application.delegate.appDependency?.greeting = String(repeating: letter, count: size)
                    // Give the subscriber that reads time to keep up.
                    if number % 100 == 0 { try await live.turn() }
                }
                #expect(count * size > 45 << 20)
                var bytes = 0
                // libzmq's thread delivers one message at a time, so the duration depends on the machine.
                try await live.until("all queued messages have been read", within: .seconds(60)) {
                    var read = 0
                    while let part = try stuck.receive() { read += part.bytes.count }
                    bytes += read
                    return read == 0
                }
                #expect(bytes > 1 << 20)
                #expect(bytes < 20 << 20)
            }
        }
    }
}
