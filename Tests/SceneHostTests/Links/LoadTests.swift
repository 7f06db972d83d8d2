import Bus
import CoordinatorKit
import Link
import SceneWorker
import Testing
import ZeroMQ

@testable import SceneHost

extension LiveTests {
    /// Many peers at once, and peers that do not read.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct LoadTests {
        @Test("of many peers that come at one moment some are told to come again, and all are attached in the end")
        func manyAtOnce() async throws {
            try await withHost { live in
                let client = try await live.client()
                // However long a busy machine takes to read them, the rest is told to come again.
                live.host.server.admission = AdmissionRate(burst: 100, rate: 1)
                let links = (0..<300).map { number in
                    Link(
                        LinkConfiguration(
                            endpoint: live.ipc, role: .worker, peer: "peer\(number)", context: live.context))
                }
                defer { for link in links { link.stop() } }
                var busy = 0
                for link in links {
                    link.handlers.lost = { if case .refused(let refusal) = $0, refusal.code == .busy { busy += 1 } }
                    link.start()
                }
                try await live.until("some are told so") { busy > 0 }
                live.host.server.admission = AdmissionRate(burst: 200, rate: 400)
                try await live.until("all are attached", within: .seconds(60)) { links.allSatisfy(\.isReady) }
                #expect(live.host.server.counters.values["refused: busy"] == UInt64(busy))
                _ = try await client.chain.hostStatus()
            }
        }

        @Test("plugins and operators are let in however many workers come")
        func othersFirst() async throws {
            try await withHost { live in
                live.host.server.admission = AdmissionRate(burst: 100, rate: 1)
                var kinds: [Role: Set<FrameKind>] = [:]
                // As many as are taken at once, and more than come in again meanwhile: all say hello before any is answered.
                let workers = try (0..<300).map { _ in try live.raw() }
                for (number, raw) in workers.enumerated() { try raw.sendHello("worker\(number)", role: .worker) }
                for raw in workers { kinds[.worker, default: []].insert(try await raw.next().kind) }
                for (number, role) in [Role.plugin, .operator, .plugin, .operator].enumerated() {
                    kinds[role, default: []].insert(try await live.raw().hello("other\(number)", role: role).kind)
                }
                #expect(kinds == [.worker: [.welcome, .refusal], .plugin: [.welcome], .operator: [.welcome]])
            }
        }

        @Test("a large change is not published: a beacon is, and whoever reads it gets the change")
        func largeChange() async throws {
            try await withHost { live in
                let raw = try live.raw(.subscriber, to: live.configuration.directory.publisher)
                try raw.subscribe(Frame.topic(.delta))
                try raw.subscribe(Frame.topic(.beacon))
                _ = try await raw.next(.beacon)
                let worker = try await live.worker("wall")
                let text = String(repeating: "x", count: BusServer.largestDelta)
                live.host.application.delegate.appDependency?.greeting = text
                let revision = live.host.dependencies.revision
                while true {
                    let frame = try await raw.next()
                    #expect(frame.kind == .beacon)
                    if frame.revision == revision { break }
                }
                try await live.until("the worker has it") {
                    worker.application.delegate.appDependency?.greeting == text
                }
                live.host.application.delegate.appDependency?.greeting = "small"
                #expect(try await raw.next(.delta).revision == revision + 1)
            }
        }

        @Test("a subscriber that does not read finds a bounded number of bytes waiting, whatever was published")
        func stuckSubscriber() async throws {
            try await withHost { live in
                // Not read by anybody: libzmq takes one message of it, and the system's own buffers hold some more.
                var options = SocketOptions()
                options.receiveHighWaterMark = 1
                let stuck = try Socket(.subscriber, in: live.context, options: options)
                try stuck.connect(live.configuration.directory.publisher)
                try stuck.subscribe(Frame.topic(.delta))
                let reader = try live.raw(.subscriber, to: live.configuration.directory.publisher)
                try reader.subscribe(Frame.topic(.delta))
                // Subscriptions of two connections have no order: both are there when both have got something.
                var first: Socket.Part?
                try await live.until("both are subscribed") {
                    let next = live.host.dependencies.revision
                    live.host.application.delegate.appDependency?.total = Int(next)
                    first = try first ?? stuck.receive()
                    return first != nil
                }
                let size = BusServer.largestDelta - 100
                let count = 3 * BusServer.publisherHighWaterMark
                for number in 0..<count {
                    let letter = number % 2 == 0 ? "x" : "y"
                    live.host.application.delegate.appDependency?.greeting = String(repeating: letter, count: size)
                    // The one that reads keeps up.
                    if number % 100 == 0 { try await live.turn() }
                }
                #expect(count * size > 45 << 20)
                var bytes = 0
                // One message at a time comes from libzmq's thread: how long all take is the machine's affair.
                try await live.until("what waited has been read", within: .seconds(60)) {
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
