import Testing
import ZeroMQ

@MainActor
@Suite(.timeLimit(.minutes(5)), .serialized)
struct SocketPortTests {
    private typealias Message = SocketMessage

    /// A router and a dealer that is connected to it.
    @MainActor
    private struct Pair {
        let router: SocketPort
        let dealer: SocketPort
        let toRouter: Inbox<Message>
        let toDealer: Inbox<Message>

        init(_ transport: Transport, _ context: SocketContext, _ folder: String) throws {
            let bound = try Socket(.router, in: context, options: .mandatory)
            try bound.bind(transport.address(in: folder))
            let address = bound.lastEndpoint
            let toRouter = Inbox(of: Message.self)
            let toDealer = Inbox(of: Message.self)
            self.toRouter = toRouter
            self.toDealer = toDealer
            router = SocketPort(bound) { toRouter.put($0) }
            let connected = try Socket(.dealer, in: context, options: .unbounded)
            try connected.connect(address)
            dealer = SocketPort(connected) { toDealer.put($0) }
        }

        func close() {
            dealer.close()
            router.close()
        }
    }

    @Test(arguments: Transport.allCases)
    func `A request reaches the router, and its reply reaches the dealer`(transport: Transport) async throws {
        try await withContext { context, folder in
            let pair = try Pair(transport, context, folder)
            for number in UInt8(0)..<20 {
                #expect(try pair.dealer.send([number]))
                let request = await pair.toRouter.take(1)[0]
                #expect(request.bytes == [number])
                #expect(!request.isMalformed)
                let sender = try #require(request.sender)
                #expect(try pair.router.send([number, number], to: sender))
                let reply = await pair.toDealer.take(1)[0]
                #expect(reply.bytes == [number, number])
                #expect(reply.sender == nil)
            }
            pair.close()
        }
    }

    @Test
    func `A message that is continued later is handled to its end before the next one, and timers fire in between`()
        async throws
    {
        try await withContext { context, folder in
            let bound = try Socket(.router, in: context, options: .mandatory)
            try bound.bind(Transport.inproc.address(in: folder))
            let address = bound.lastEndpoint
            let events = Inbox(of: String.self)
            var port: SocketPort?
            @MainActor func handle(_ message: String, part: Int) {
                events.put("\(message) \(part)")
                guard part < 3 else { return }
                // As long as a look at a socket may take.
                let end = ContinuousClock.now + .milliseconds(12)
                while ContinuousClock.now < end {}
                port?.continueLater { handle(message, part: part + 1) }
            }
            let timer = LoopTimer { events.put("timer") }
            port = SocketPort(bound) { message in
                if message.bytes == [1] { timer.set(for: .now) }
                handle("\(message.bytes[0])", part: 1)
            }
            let connected = try Socket(.dealer, in: context, options: .unbounded)
            try connected.connect(address)
            let dealer = SocketPort(connected) { _ in }
            for number in [1, 2] as [UInt8] { #expect(try dealer.send([number])) }
            let taken = await events.take(7)
            #expect(taken == ["1 1", "timer", "1 2", "1 3", "2 1", "2 2", "2 3"])
            dealer.close()
            port?.close()
            // A closed port does not continue.
            port?.continueLater { Issue.record("continued") }
            port = nil
        }
    }

    @Test(arguments: Transport.allCases)
    func `A burst of 10,000 messages arrives complete and in order`(transport: Transport) async throws {
        try await withContext { context, folder in
            let pair = try Pair(transport, context, folder)
            for number in 0..<10_000 { #expect(try pair.dealer.send(bytes(number))) }
            let messages = await pair.toRouter.take(10_000)
            #expect(messages.map(\.bytes) == (0..<10_000).map(bytes))
            let routingID = try #require(messages.first?.sender)
            for number in 0..<10_000 { #expect(try pair.router.send(bytes(number), to: routingID)) }
            #expect(await pair.toDealer.take(10_000).map(\.bytes) == (0..<10_000).map(bytes))
            #expect(pair.toRouter.count == 10_000)
            pair.close()
        }
    }

    /// Sends messages over one socket, each handled by `handle`, and then one message over another socket.
    /// - Returns: The sizes of the messages in the order in which they were handled. The other socket's message has one
    ///   byte.
    @MainActor private func order(
        of count: Int, size: Int, handle: @escaping @MainActor () -> Void = {}
    ) async throws -> [Int] {
        try await withContext { context, _ in
            let order = Inbox(of: Int.self)
            @MainActor func pair(
                _ name: String, _ handle: @escaping @MainActor () -> Void
            ) throws -> (router: SocketPort, dealer: SocketPort) {
                let bound = try Socket(.router, in: context, options: .mandatory)
                try bound.bind("inproc://\(name)")
                let router = SocketPort(bound) {
                    handle()
                    order.put($0.bytes.count)
                }
                let connected = try Socket(.dealer, in: context, options: .unbounded)
                try connected.connect("inproc://\(name)")
                return (router, SocketPort(connected) { _ in })
            }
            let (many, one) = (try pair("many", handle), try pair("one") {})
            // All messages are queued before the loop handles either socket.
            let bytes = [UInt8](repeating: 7, count: size)
            for _ in 0..<count { #expect(try many.dealer.send(bytes)) }
            #expect(try one.dealer.send([1]))
            let sizes = await order.take(count + 1)
            for port in [many.router, many.dealer, one.router, one.dealer] { port.close() }
            return sizes
        }
    }

    @Test func `Large messages on one socket do not delay those on another`() async throws {
        let sizes = try await order(of: 40, size: 100_000)
        #expect(try #require(sizes.firstIndex(of: 1)) < 20)
    }

    @Test func `Slow handlers of one socket do not delay messages on another`() async throws {
        let sizes = try await order(of: 20, size: 2) {
            let end = MonotonicInstant.now + .milliseconds(11)
            while MonotonicInstant.now < end {}
        }
        #expect(try #require(sizes.firstIndex(of: 1)) < 4)
    }

    @Test(arguments: [1, 7, 8, 9, 255])
    func `A peer with its own routing ID is reached under it, whatever the length`(length: Int) async throws {
        try await withContext { context, folder in
            let bound = try Socket(.router, in: context, options: .mandatory)
            try bound.bind("ipc://\(folder)/bus")
            let received = Inbox(of: Message.self)
            let router = SocketPort(bound) { received.put($0) }
            var named = SocketOptions.unbounded
            named.routingID = (0..<length).map { UInt8($0 + 1 & 0xFF) }
            let connected = try Socket(.dealer, in: context, options: named)
            try connected.connect("ipc://\(folder)/bus")
            let replied = Inbox(of: Message.self)
            let dealer = SocketPort(connected) { replied.put($0) }
            #expect(try dealer.send([1]))
            let sender = try #require(await received.take(1)[0].sender)
            #expect(sender == RoutingID(named.routingID ?? []))
            #expect(try router.send([2], to: sender))
            #expect(await replied.take(1)[0].bytes == [2])
            dealer.close()
            router.close()
        }
    }

    @Test func `A message of several parts is marked as malformed, and the next one is intact`() async throws {
        try await withContext { context, folder in
            let pair = try Pair(.inproc, context, folder)
            for parts in [[[1], [2]], [[1], [2], [3]], [[4]]] as [[[UInt8]]] {
                try pair.dealer.withSocket { (socket) throws(ZeroMQError) in
                    for (index, part) in parts.enumerated() { try socket.send(part, more: index < parts.count - 1) }
                }
            }
            let messages = await pair.toRouter.take(3)
            #expect(messages.map(\.isMalformed) == [true, true, false])
            #expect(messages.last?.bytes == [4])
            pair.close()
        }
    }

    private func bytes(_ number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    @Test func `Sending to an unknown peer throws, and the router keeps working`() async throws {
        try await withContext { context, folder in
            let pair = try Pair(.inproc, context, folder)
            let error = #expect(throws: ZeroMQError.self) { try pair.router.send([1], to: RoutingID([9, 9, 9])) }
            #expect(error?.isHostUnreachable == true)
            #expect(try pair.dealer.send([1]))
            #expect(await pair.toRouter.take(1)[0].bytes == [1])
            pair.close()
        }
    }

    @Test(arguments: Transport.allCases)
    func `A peer that has closed is unreachable for the router`(transport: Transport) async throws {
        try await withContext { context, folder in
            let pair = try Pair(transport, context, folder)
            #expect(try pair.dealer.send([1]))
            let routingID = try #require(await pair.toRouter.take(1)[0].sender)
            pair.dealer.close()
            #expect(context.openSockets == 1)
            // libzmq's own thread reports the disconnect, so try again in every turn of the loop.
            let gone = Inbox(of: Bool.self)
            let timer = Slot<LoopTimer>()
            timer.value = LoopTimer {
                do throws(ZeroMQError) {
                    _ = try pair.router.send([2], to: routingID)
                    timer.value?.set(for: .now + .milliseconds(5))
                } catch {
                    gone.put(error.isHostUnreachable)
                }
            }
            timer.value?.set(for: .now)
            #expect(await gone.take(1) == [true])
            timer.value = nil
            pair.close()
        }
    }

    // MARK: - Closing

    @Test(arguments: Transport.allCases)
    func `A port can be closed inside its own receiver, and nothing arrives afterwards`(
        transport: Transport
    ) async throws {
        try await withContext { context, folder in
            let bound = try Socket(.router, in: context, options: .mandatory)
            try bound.bind(transport.address(in: folder))
            let address = bound.lastEndpoint
            let received = Inbox(of: Message.self)
            let port = Slot<SocketPort>()
            port.value = SocketPort(bound) { message in
                received.put(message)
                port.value?.close()
            }
            let connected = try Socket(.dealer, in: context, options: .unbounded)
            try connected.connect(address)
            let dealer = SocketPort(connected) { _ in }
            for number in UInt8(0)..<50 { #expect(try dealer.send([number])) }
            #expect(await received.take(1)[0].bytes == [0])
            #expect(port.value?.isOpen == false)
            #expect(context.openSockets == 1)
            dealer.close()
            await turn()
            #expect(received.count == 1)
            port.value = nil
        }
    }

    @Test func `A port can be closed inside another port's receiver`() async throws {
        try await withContext { context, _ in
            let received = Inbox(of: String.self)
            let ports = Slot<[SocketPort]>([])
            var senders: [SocketPort] = []
            // The port that is handled first closes both, although a message waits for the other.
            for name in ["a", "b"] {
                let bound = try Socket(.pair, in: context)
                try bound.bind("inproc://\(name)")
                let sender = try Socket(.pair, in: context)
                try sender.connect("inproc://\(name)")
                let sending = SocketPort(sender) { _ in }
                #expect(try sending.send([1]))
                senders.append(sending)
                let port = SocketPort(bound) { _ in
                    received.put(name)
                    for port in ports.value ?? [] { port.close() }
                }
                ports.value?.append(port)
            }
            _ = await received.take(1)
            await turn()
            #expect(received.count == 1)
            for sender in senders { sender.close() }
            ports.value = nil
        }
    }

    @Test func `A closed port sends nothing and can be closed again`() async throws {
        try await withContext { context, folder in
            let pair = try Pair(.inproc, context, folder)
            #expect(pair.dealer.isOpen)
            pair.close()
            pair.close()
            #expect(!pair.dealer.isOpen)
            #expect(try !pair.dealer.send([1]))
            #expect(try !pair.router.send([1], to: RoutingID([1])))
            let endpoint = try pair.dealer.withSocket { (socket) throws(ZeroMQError) in socket.lastEndpoint }
            #expect(endpoint == nil)
        }
    }

    @Test func `A port gives access to its socket`() async throws {
        try await withContext { context, _ in
            let port = SocketPort(try Socket(.router, in: context)) { _ in }
            try port.withSocket { (socket) throws(ZeroMQError) in try socket.bind("tcp://127.0.0.1:*") }
            let endpoint = try port.withSocket { (socket) throws(ZeroMQError) in socket.lastEndpoint }
            #expect(endpoint?.hasPrefix("tcp://127.0.0.1:") == true)
            do throws(ZeroMQError) {
                try port.withSocket { (socket) throws(ZeroMQError) in try socket.bind("nonsense") }
                Issue.record("bound to nonsense")
            } catch {
                #expect(error.operation == "bind nonsense")
            }
            port.close()
        }
    }

    // MARK: - Bounds

    @Test func `A message above the size limit disconnects its sender and is not delivered`() async throws {
        try await withContext { context, folder in
            var options = SocketOptions.mandatory
            options.maximumMessageSize = 1000
            let bound = try Socket(.router, in: context, options: options)
            try bound.bind("ipc://\(folder)/bus")
            let received = Inbox(of: Message.self)
            let router = SocketPort(bound) { received.put($0) }
            var quick = SocketOptions.unbounded
            quick.reconnectInterval = 10
            let connected = try Socket(.dealer, in: context, options: quick)
            try connected.connect("ipc://\(folder)/bus")
            let dealer = SocketPort(connected) { _ in }
            #expect(try dealer.send([UInt8](repeating: 1, count: 1001)))
            // A message that is sent with the oversized one may be lost with the connection, so repeat until one
            // arrives.
            let timer = Slot<LoopTimer>()
            timer.value = LoopTimer {
                _ = try? dealer.send([2])
                timer.value?.set(for: .now + .milliseconds(10))
            }
            timer.value?.set(for: .now)
            #expect(await received.take(1)[0].bytes == [2])
            timer.value?.cancel()
            timer.value = nil
            dealer.close()
            router.close()
        }
    }

    /// Waits for a whole turn of the loop: everything that was pending has been handled afterwards.
    private func turn() async {
        let passed = Inbox(of: Void.self)
        let timer = LoopTimer { passed.put(()) }
        timer.set(for: .now + .milliseconds(20))
        _ = await passed.take(1)
    }
}
