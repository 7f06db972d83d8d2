import Testing

@testable import ZeroMQ

@MainActor
struct PausedMessagesTests {
    private func message(_ sender: UInt8, _ number: UInt8) -> SocketMessage {
        SocketMessage(sender: id(sender), bytes: [number])
    }

    private func id(_ sender: UInt8) -> RoutingID? { RoutingID([sender]) }

    @Test("Messages wait behind the paused one of their sender, and senders take turns")
    func turns() {
        var paused = PausedMessages()
        var log: [String] = []
        paused.add({ log.append("rest of 1") }, of: id(1))
        paused.add({ log.append("rest of 2") }, of: id(2))
        let held = [message(1, 10), message(3, 30), message(1, 11), message(1, 12)].map { paused.hold($0) }
        #expect(held == [true, false, true, true])
        var steps = 0
        while let (sender, step) = paused.next() {
            switch step {
            case .goOn(let rest): rest()
            case .begin(let message):
                #expect(message.sender == sender)
                log.append("\(message.bytes[0])")
            }
            steps += 1
            // The first turn has two steps.
            if steps == 2 { paused.endTurn() }
        }
        #expect(log == ["rest of 1", "10", "rest of 2", "11", "12"])
        #expect(paused.isEmpty)
    }

    @Test("The messages of a sender can be dropped, but not the rest of the one that was begun, nor those of others")
    func drop() {
        var paused = PausedMessages()
        paused.add({}, of: id(1))
        paused.add({}, of: id(2))
        for message in [message(1, 10), message(1, 11), message(2, 20)] { _ = paused.hold(message) }
        #expect(paused.bytes(of: RoutingID([1])) == 2)
        paused.drop(RoutingID([1]))
        #expect(paused.bytes(of: RoutingID([1])) == 0)
        #expect(paused.held.map(\.bytes) == [[20]])
        guard case (id(1), .goOn)? = paused.next() else { return #expect(Bool(false), "the rest is lost") }
        let next = paused.next()?.sender
        #expect(next == id(2))
    }

    @Test("A sender of which nothing is left no longer waits")
    func done() {
        var paused = PausedMessages()
        paused.add({}, of: id(1))
        _ = paused.next()
        // The message is handled now, and what comes meanwhile waits.
        #expect(paused.contains(RoutingID([1])))
        paused.endTurn()
        #expect(paused.isEmpty)
        #expect(!paused.contains(RoutingID([1])))
        let isHeld = paused.hold(message(1, 10))
        #expect(!isHeld)
    }

    @Test("A message that pauses again continues before the next one of its sender")
    func again() {
        var paused = PausedMessages()
        paused.add({}, of: id(1))
        _ = paused.hold(message(1, 10))
        _ = paused.next()
        paused.add({}, of: id(1))
        guard case (_, .goOn)? = paused.next() else { return #expect(Bool(false), "it does not continue") }
        guard case (_, .begin(let next))? = paused.next() else { return #expect(Bool(false), "the next one is lost") }
        #expect(next.bytes == [10])
    }

    @Test("The bytes of the waiting messages are limited")
    func limit() {
        var paused = PausedMessages()
        paused.add({}, of: id(1))
        var large = message(1, 0)
        large.bytes = [UInt8](repeating: 0, count: 80 << 20)
        #expect(paused.hasRoom)
        _ = paused.hold(large)
        #expect(!paused.hasRoom)
        _ = paused.next()
        _ = paused.next()
        #expect(paused.hasRoom)
    }
}
