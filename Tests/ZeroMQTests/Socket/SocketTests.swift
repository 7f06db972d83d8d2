import Testing
import ZeroMQ

/// A socket is not copyable and so cannot appear in a macro's arguments. Its results are stored first and checked
/// afterwards.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct SocketTests {
    /// - Returns: The error that the body throws; `nil` if it throws none.
    private func failure(of body: () throws(ZeroMQError) -> Void) -> ZeroMQError? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }

    // MARK: - Addresses

    @Test func `The system chooses a port, and the socket reports it`() async throws {
        try await withContext { context, _ in
            let socket = try Socket(.router, in: context)
            let before = socket.lastEndpoint
            #expect(before == "")
            try socket.bind("tcp://127.0.0.1:*")
            let endpoint = socket.lastEndpoint
            let port = try #require(endpoint.split(separator: ":").last.flatMap { Int($0) })
            #expect(port > 0)
            #expect(endpoint == "tcp://127.0.0.1:\(port)")
        }
    }

    @Test(arguments: ["tcp://127.0.0.1:*", "inproc://taken"])
    func `An address in use is distinguished from other errors, and the error names it`(address: String) async throws {
        try await withContext { context, _ in
            let first = try Socket(.router, in: context)
            try first.bind(address)
            let taken = first.lastEndpoint
            let second = try Socket(.router, in: context)
            let error = failure { () throws(ZeroMQError) in try second.bind(taken) }
            #expect(error?.isAddressInUse == true)
            #expect(error?.isHostUnreachable == false)
            #expect(error?.operation == "bind \(taken)")
            #expect(error?.description.contains(taken) == true)
            // The socket can still be used.
            try second.bind("tcp://127.0.0.1:*")
            let other = second.lastEndpoint
            #expect(other != taken)
        }
    }

    @Test(arguments: [
        "", "nonsense", "foo://bar", "tcp://", "tcp://127.0.0.1", "tcp://127.0.0.1:port", "ipc:///no/such/folder/bus",
        "tcp://192.0.2.1:5570",
    ])
    func `The error for an address that cannot be bound names the address`(address: String) async throws {
        try await withContext { context, _ in
            let socket = try Socket(.router, in: context)
            let found = failure { () throws(ZeroMQError) in try socket.bind(address) }
            let error = try #require(found)
            #expect(!error.isAddressInUse)
            #expect(error.operation == "bind \(address)")
            #expect(error.description.count > error.operation.count + 2)
        }
    }

    @Test(arguments: ["", "nonsense", "foo://bar", "tcp://127.0.0.1"])
    func `The error for an address that cannot be connected to names the address`(address: String) async throws {
        try await withContext { context, _ in
            let socket = try Socket(.dealer, in: context)
            let error = failure { () throws(ZeroMQError) in try socket.connect(address) }
            #expect(error?.operation == "connect to \(address)")
        }
    }

    // MARK: - Options

    @Test func `A refused option is an error and leaves no socket behind`() async throws {
        try await withContext { context, _ in
            var options = SocketOptions()
            options.routingID = []
            let refused = options
            let first = failure { () throws(ZeroMQError) in _ = try Socket(.dealer, in: context, options: refused) }
            #expect(first?.operation.hasPrefix("set socket option") == true)
            #expect(context.openSockets == 0)
            let dealer = try Socket(.dealer, in: context)
            let second = failure { () throws(ZeroMQError) in try dealer.subscribe([1]) }
            #expect(second != nil)
        }
    }

    @Test func `A mandatory router reports an unreachable peer and keeps working`() async throws {
        try await withContext { context, _ in
            let router = try Socket(.router, in: context, options: .mandatory)
            try router.bind("inproc://bus")
            let error = failure { () throws(ZeroMQError) in try router.send([1, 2, 3], more: true) }
            #expect(error?.isHostUnreachable == true)
            #expect(error?.description.contains("3 bytes") == true)

            let name = Array("peer".utf8)
            var options = SocketOptions()
            options.routingID = name
            let dealer = try Socket(.dealer, in: context, options: options)
            try dealer.connect("inproc://bus")
            let isSent = try dealer.send([7])
            #expect(isSent)
            let parts = try [router.receive()?.bytes, router.receive()?.bytes]
            #expect(parts == [name, [7]])
            let isAnswered = try [router.send(name, more: true), router.send([8])]
            #expect(isAnswered == [true, true])
            let answer = try dealer.receive()?.bytes
            #expect(answer == [8])
        }
    }

    @Test func `A router that is not mandatory drops messages silently`() async throws {
        try await withContext { context, _ in
            let router = try Socket(.router, in: context)
            let isTaken = try [router.send([1, 2, 3], more: true), router.send([4])]
            #expect(isTaken == [true, true])
        }
    }

    @Test func `A dealer queues for a future peer once it connects`() async throws {
        try await withContext { context, folder in
            let nobody = "ipc://\(folder)/bus"
            let patient = try Socket(.dealer, in: context)
            let unconnected = try patient.send([1])
            #expect(!unconnected)
            try patient.connect(nobody)
            let queued = try patient.send([1])
            #expect(queued)
        }
    }

    // The connecting sockets send here, because their pipes exist at once.

    @Test func `A full socket reports that instead of waiting, and loses no accepted message`() async throws {
        try await withContext { context, _ in
            var options = SocketOptions()
            options.sendHighWaterMark = 3
            options.receiveHighWaterMark = 4
            let left = try Socket(.pair, in: context, options: options)
            let right = try Socket(.pair, in: context, options: options)
            try left.bind("inproc://pair")
            try right.connect("inproc://pair")
            var taken: UInt8 = 0
            while taken < 100, try right.send([taken]) { taken += 1 }
            #expect((3..<100).contains(taken))
            var received: [[UInt8]] = []
            while let part = try left.receive() { received.append(part.bytes) }
            #expect(received == (0..<taken).map { [$0] })
        }
    }

    // MARK: - Messages

    @Test func `Parts arrive one by one, including empty ones`() async throws {
        try await withContext { context, _ in
            let left = try Socket(.pair, in: context)
            let right = try Socket(.pair, in: context)
            try left.bind("inproc://pair")
            try right.connect("inproc://pair")
            let before = try left.receive()?.bytes
            #expect(before == nil)
            let isSent = try [right.send([], more: true), right.send([1], more: true), right.send([])]
            #expect(isSent == [true, true, true])
            var parts: [Socket.Part] = []
            while let part = try left.receive() { parts.append(part) }
            #expect(parts.map(\.bytes) == [[], [1], []])
            #expect(parts.map(\.hasMore) == [true, true, false])
        }
    }

    @Test func `A large message arrives intact`() async throws {
        try await withContext { context, _ in
            let left = try Socket(.pair, in: context)
            let right = try Socket(.pair, in: context)
            try left.bind("inproc://pair")
            try right.connect("inproc://pair")
            let large = [UInt8](repeating: 7, count: 5_000_000) + [8]
            let isSent = try right.send(large)
            #expect(isSent)
            let isWhole = try left.receive()?.bytes == large
            #expect(isWhole)
        }
    }

    @Test(arguments: [4095, 4096])
    func `A message of 4 KiB is handed over, and a smaller one is copied`(count: Int) async throws {
        try await withContext { context, folder in
            let socket = try Socket(.pair, in: context)
            // Nobody listens there, so libzmq keeps the message.
            try socket.connect("ipc://\(folder)/nobody")
            var bytes = [UInt8](repeating: 1, count: count)
            let start = bytes.withUnsafeBytes { $0.baseAddress }
            let isSent = try socket.send(bytes)
            #expect(isSent)
            // Moves the array if somebody else keeps its elements.
            bytes[0] = 2
            #expect((bytes.withUnsafeBytes { $0.baseAddress } != start) == (count >= 4096))
        }
    }

    @Test(arguments: [1, 4095, 4096, 4097, 300_000])
    func `A message arrives as it was sent, although its bytes change before it is received`(count: Int) async throws {
        try await withContext { context, folder in
            // Over ipc, libzmq's own thread still reads the bytes when `send` has returned.
            let left = try Socket(.pair, in: context)
            let right = try Socket(.pair, in: context)
            try left.bind("ipc://\(folder)/bus")
            try right.connect("ipc://\(folder)/bus")
            var expected: [[UInt8]] = []
            var bytes = [UInt8](repeating: 0, count: count)
            for number in 0..<20 as Range<UInt8> {
                bytes[count / 2] = number
                // A copy of its own, so that the change below is made in the bytes that were sent if nobody else keeps them.
                expected.append(bytes.map { $0 })
                let isSent = try right.send(bytes)
                #expect(isSent)
                for index in bytes.indices { bytes[index] = ~number }
            }
            var received: [[UInt8]] = []
            let end = MonotonicInstant.now + .seconds(60)
            while received.count < expected.count, MonotonicInstant.now < end {
                if let part = try left.receive() { received.append(part.bytes) }
            }
            let isSame = received == expected
            #expect(isSame, "\(received.count) of \(expected.count) messages arrived, or others")
        }
    }
}
