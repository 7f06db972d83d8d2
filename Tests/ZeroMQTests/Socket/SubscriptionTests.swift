import Testing
import ZeroMQ

/// The behaviour of libzmq's subscriptions on which the bus relies.
@MainActor
@Suite(.timeLimit(.minutes(5)), .serialized)
struct SubscriptionTests {
    private typealias Message = [UInt8]

    private static var verbose: SocketOptions {
        var options = SocketOptions.unbounded
        options.reportsEverySubscription = true
        return options
    }

    /// Topics of three bytes that begin with 0x53, as frames' topics do, with the barrier's topic among them.
    private static let topics: [[UInt8]] = {
        var topics = (0..<2000).map { [0x53, UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        topics.insert(barrier, at: 700)
        return topics
    }()
    private static let barrier: [UInt8] = [0xFF, 1, 2, 3]

    @Test(arguments: [Transport.ipc, .tcp])
    func `Subscriptions made before connecting arrive in byte order, with the barrier last`(
        transport: Transport
    ) async throws {
        try await withContext { context, folder in
            let bound = try Socket(.verbosePublisher, in: context, options: Self.verbose)
            try bound.bind(transport.address(in: folder))
            let address = bound.lastEndpoint
            let received = Inbox(of: Message.self)
            let publisher = SocketPort(bound) { received.put($0.bytes) }
            let socket = try Socket(.subscriber, in: context, options: .unbounded)
            for topic in Self.topics { try socket.subscribe(topic) }
            try socket.connect(address)
            let subscriber = SocketPort(socket) { _ in }
            let arrived = await received.take(Self.topics.count)
            #expect(arrived.last == [1] + Self.barrier)
            #expect(arrived == Self.topics.map { [1] + $0 }.sorted { $0.lexicographicallyPrecedes($1) })
            subscriber.close()
            publisher.close()
        }
    }

    @Test(arguments: [Transport.ipc, .tcp])
    func `A barrier that is subscribed last on a connecting socket arrives last`(transport: Transport) async throws {
        try await withContext { context, folder in
            let bound = try Socket(.verbosePublisher, in: context, options: Self.verbose)
            try bound.bind(transport.address(in: folder))
            let address = bound.lastEndpoint
            let received = Inbox(of: Message.self)
            let publisher = SocketPort(bound) { received.put($0.bytes) }
            let socket = try Socket(.subscriber, in: context, options: .unbounded)
            try socket.connect(address)
            let others = Self.topics.filter { $0 != Self.barrier }
            for topic in others { try socket.subscribe(topic) }
            try socket.subscribe(Self.barrier)
            let subscriber = SocketPort(socket) { _ in }
            let arrived = await received.take(Self.topics.count)
            #expect(arrived.last == [1] + Self.barrier)
            #expect(Set(arrived.dropLast()) == Set(others.map { [1] + $0 }))
            subscriber.close()
            publisher.close()
        }
    }

    @Test func `Messages published after the barrier reach the subscriber by topic`() async throws {
        try await withContext { context, folder in
            let bound = try Socket(.verbosePublisher, in: context, options: Self.verbose)
            try bound.bind("ipc://\(folder)/bus")
            let barriers = Inbox(of: Message.self)
            let publisher = SocketPort(bound) { if $0.bytes == [1] + Self.barrier { barriers.put($0.bytes) } }
            let socket = try Socket(.subscriber, in: context, options: .unbounded)
            try socket.subscribe([5, 1])
            try socket.subscribe([5, 2])
            try socket.subscribe(Self.barrier)
            try socket.connect("ipc://\(folder)/bus")
            let received = Inbox(of: Message.self)
            let subscriber = SocketPort(socket) { received.put($0.bytes) }
            _ = await barriers.take(1)
            for number in UInt8(0)..<4 { #expect(try publisher.send([5, number, number])) }
            #expect(try publisher.send(Self.barrier))
            #expect(await received.take(3) == [[5, 1, 1], [5, 2, 2], Self.barrier])
            subscriber.close()
            publisher.close()
        }
    }

    @Test func `A second subscriber's equal topic is reported too, and so is the last unsubscription`() async throws {
        try await withContext { context, folder in
            let bound = try Socket(.verbosePublisher, in: context, options: Self.verbose)
            try bound.bind("ipc://\(folder)/bus")
            let received = Inbox(of: Message.self)
            let publisher = SocketPort(bound) { received.put($0.bytes) }
            var subscribers: [SocketPort] = []
            for _ in 0..<2 {
                let socket = try Socket(.subscriber, in: context, options: .unbounded)
                try socket.connect("ipc://\(folder)/bus")
                try socket.subscribe([7])
                subscribers.append(SocketPort(socket) { _ in })
                #expect(await received.take(1) == [[1, 7]])
            }
            for subscriber in subscribers { subscriber.close() }
            #expect(await received.take(1) == [[0, 7]])
            publisher.close()
        }
    }
}
