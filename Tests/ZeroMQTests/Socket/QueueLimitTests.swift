import Testing
import ZeroMQ

/// The limits of the queues between sockets. The connecting sockets send, because their pipes exist at once.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct QueueLimitTests {
    @Test func `The receive limit bounds what waits for a socket, even if its send limit is off`() async throws {
        try await withContext { context, _ in
            var receiving = SocketOptions()
            receiving.sendHighWaterMark = 0
            receiving.receiveHighWaterMark = 4
            var sending = SocketOptions()
            sending.sendHighWaterMark = 3
            sending.receiveHighWaterMark = 0
            let receiver = try Socket(.pair, in: context, options: receiving)
            let sender = try Socket(.pair, in: context, options: sending)
            try receiver.bind("inproc://pair")
            try sender.connect("inproc://pair")
            var taken: UInt8 = 0
            while taken < 100, try sender.send([taken]) { taken += 1 }
            #expect((3..<100).contains(taken))
            var received: UInt8 = 0
            while try receiver.receive() != nil { received += 1 }
            #expect(received == taken)
        }
    }

    @Test func `A port reports a full queue, and what it has accepted arrives`() async throws {
        try await withContext { context, _ in
            var options = SocketOptions()
            options.sendHighWaterMark = 3
            options.receiveHighWaterMark = 3
            let bound = try Socket(.pair, in: context, options: options)
            try bound.bind("inproc://pair")
            let received = Inbox(of: SocketMessage.self)
            let receiver = SocketPort(bound) { received.put($0) }
            defer { receiver.close() }
            let connected = try Socket(.pair, in: context, options: options)
            try connected.connect("inproc://pair")
            let sender = SocketPort(connected) { _ in }
            defer { sender.close() }
            // The receiver gets its turn only when this function suspends.
            var taken: UInt8 = 0
            while taken < 100, try sender.send([taken]) { taken += 1 }
            try #require((3..<100).contains(taken))
            #expect(await received.take(Int(taken)).map(\.bytes) == (0..<taken).map { [$0] })
        }
    }
}
