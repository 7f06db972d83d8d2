import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(1)), .serialized)
@MainActor
struct SocketPortTests {
    @Test func `an address that is taken is said to be`() throws {
        let context = Context()
        let first = try Socket(.router, in: context)
        try first.bind("inproc://taken")
        let second = try Socket(.router, in: context)
        let error = #expect(throws: ZeroMQError.self) { try second.bind("inproc://taken") }
        #expect(error?.isAddressInUse == true)
        #expect(error?.description.contains("inproc://taken") == true)
    }

    @Test func `a mandatory router says that nobody has a routing id`() throws {
        let context = Context()
        var options = SocketOptions()
        options.isMandatory = true
        let router = try Socket(.router, in: context, options: options)
        try router.bind("inproc://mandatory")
        let error = #expect(throws: ZeroMQError.self) { try router.send([1, 2, 3], more: true) }
        #expect(error?.isHostUnreachable == true)
    }

    @Test func `a burst arrives complete and in order, and every socket is closed at the end`() async throws {
        let context = Context()
        let count = 10_000
        var options = SocketOptions()
        options.sendHighWaterMark = 0
        options.receiveHighWaterMark = 0
        let (numbers, number) = AsyncStream<Int>.makeStream()
        let receiver = try Socket(.router, in: context, options: options)
        try receiver.bind("inproc://burst")
        let receiving = SocketPort(receiver) { message in
            number.yield(Int(message.bytes[0]) << 8 | Int(message.bytes[1]))
        }
        let sender = try Socket(.dealer, in: context, options: options)
        try sender.connect("inproc://burst")
        let sending = SocketPort(sender) { _ in }
        for value in 0..<count { try sending.send([UInt8(value >> 8), UInt8(value & 0xFF)]) }
        var expected = 0
        for await value in numbers {
            #expect(value == expected)
            expected += 1
            if expected == count { break }
        }
        sending.close()
        receiving.close()
        #expect(context.openSockets == 0)
    }

    @Test func `timers fire in the order of their deadlines, and a cancelled one does not`() async {
        let (names, name) = AsyncStream<String>.makeStream()
        let late = LoopTimer { name.yield("late") }
        let soon = LoopTimer { name.yield("soon") }
        let never = LoopTimer { name.yield("never") }
        let start = ContinuousClock.now
        late.set(for: start + .milliseconds(40))
        never.set(for: start + .milliseconds(20))
        soon.set(for: start + .milliseconds(10))
        never.cancel()
        var fired: [String] = []
        for await name in names {
            fired.append(name)
            if fired.count == 2 { break }
        }
        #expect(fired == ["soon", "late"])
        #expect(ContinuousClock.now - start >= .milliseconds(40))
    }
}
