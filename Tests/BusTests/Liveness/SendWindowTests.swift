import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct SendWindowTests {
    private let start = MonotonicInstant.now

    @Test func `The bytes in flight are bounded, and room is freed as they arrive`() {
        var window = SendWindow(size: 100)
        #expect(window.hasRoom(for: 60))
        window.sent(60, at: start)
        #expect(window.hasRoom(for: 40))
        #expect(!window.hasRoom(for: 41))
        let isPossible = window.arrived(30, at: start)
        #expect(isPossible)
        #expect(window.hasRoom(for: 70))
        #expect(window.outstanding == 30)
    }

    @Test func `With nothing in flight any frame fits, and small frames have a reserve`() {
        var window = SendWindow(size: 100)
        #expect(window.hasRoom(for: 1 << 30))
        window.sent(100, at: start)
        #expect(!window.hasRoom(for: 1))
        #expect(window.hasReserve(for: 1 << 20))
        #expect(!window.hasReserve(for: 1 << 20 + 1))
    }

    @Test func `More bytes than were sent cannot have arrived, and an older count changes nothing`() {
        var window = SendWindow(size: 100)
        window.sent(50, at: start)
        let said = [window.arrived(51, at: start), window.arrived(40, at: start), window.arrived(10, at: start)]
        #expect(said == [false, true, true])
        #expect(window.outstanding == 10)
        let hasAll = window.arrived(.max, at: start)
        #expect(!hasAll)
    }

    @Test func `A peer that receives nothing of what is in flight for ten seconds is stuck`() {
        var window = SendWindow(size: 100)
        window.sent(10, at: start)
        _ = window.arrived(10, at: start)
        #expect(!window.isStuck(at: start + .seconds(60)))
        window.sent(20, at: start + .seconds(60))
        window.sent(20, at: start + .seconds(65))
        #expect(!window.isStuck(at: start + .seconds(70)))
        #expect(window.isStuck(at: start + .milliseconds(70_001)))
        _ = window.arrived(11, at: start + .seconds(69))
        #expect(!window.isStuck(at: start + .seconds(79)))
        #expect(window.isStuck(at: start + .seconds(80)))
        // What is known to count from later on is not shortened by progress before.
        window.stoodStill(at: start + .seconds(100))
        _ = window.arrived(12, at: start + .seconds(90))
        #expect(!window.isStuck(at: start + .seconds(109)))
        #expect(window.isStuck(at: start + .seconds(111)))
    }

    @Test func `While reports may be unread, a peer is stuck after 70 s, and only if reports have shown no progress`() {
        var window = SendWindow(size: 100)
        window.sent(20, at: start)
        #expect(!window.isStuck(at: start + .seconds(600), mayBeUnread: true))
        for second in 1...3 { _ = window.arrived(0, at: start + .seconds(second)) }
        #expect(!window.isStuck(at: start + .seconds(70), mayBeUnread: true))
        #expect(window.isStuck(at: start + .seconds(71), mayBeUnread: true))
        _ = window.arrived(1, at: start + .seconds(71))
        #expect(!window.isStuck(at: start + .seconds(600), mayBeUnread: true))
        #expect(window.isStuck(at: start + .seconds(600)))
    }

    @Test func `Received bytes are reported as soon as they reach a quarter of the window`() {
        var received = ReceivedBytes()
        let quarter = Int(SendWindow.standard / 4)
        let told = [received.received(quarter - 1), received.received(1)]
        #expect(told == [false, true])
        let count = received.tell()
        let isTold = received.received(1)
        #expect(count == UInt64(quarter))
        #expect(!isTold)
        #expect(received.count == UInt64(quarter) + 1)
    }
}
