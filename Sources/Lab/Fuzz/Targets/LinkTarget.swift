import Bus
import CBOR

extension FuzzTarget {
    /// A peer's link with an arbitrary host, which sends arbitrary payloads at arbitrary times.
    static let link = FuzzTarget("link") { input, _ in
        var script = Script(input)
        var play = LinkPlay(synchronizes: script.byte() % 2 == 0)
        while !script.isAtEnd { try play.step(&script) }
        try play.end()
    }
}

/// A link's state machine and its clock.
private struct LinkPlay {
    private var machine: LinkMachine
    private var now = MonotonicInstant.now
    private var clock: HostClock?

    init(synchronizes: Bool) {
        var configuration = LinkMachine.Configuration()
        configuration.synchronizes = synchronizes
        machine = LinkMachine(configuration: configuration, jitter: { 0.5 })
        _ = machine.start(at: now)
    }

    mutating func step(_ script: inout Script) throws {
        let before = machine.state
        let actions: [LinkMachine.Action]
        switch script.byte() % 10 {
        case 0:
            guard let welcome = payload(Welcome.self, &script) else { return }
            clock = HostClock(clock: welcome.clock, asked: now - .milliseconds(5), received: now)
            actions = machine.received(welcome, at: now)
        case 1:
            guard let refusal = payload(Refusal.self, &script) else { return }
            actions = machine.received(refusal, at: now)
        case 2: actions = machine.receivedGoodbye(at: now)
        case 3: actions = machine.synchronized(at: now)
        case 4:
            machine.heard(at: now)
            machine.askedForSnapshot(at: now)
            actions = []
        case 5:
            now += .milliseconds(script.byte() * 20)
            actions = machine.tick(at: now)
        case 6:
            // Advance to the requested time.
            now = max(now, machine.nextTick ?? now)
            actions = machine.tick(at: now)
            try require(machine.nextTick.map { $0 > now } ?? true, "the machine repeatedly requests a tick at once")
        case 7: actions = machine.received(heartbeat: script.number(), at: now)
        case 8: actions = machine.checkLease(at: now)
        default:
            try checkClock(script.number())
            actions = script.byte() == 0 ? machine.stop() : []
        }
        try check(actions, before)
    }

    /// Checks that a peer whose host has become silent suspends its scenes and closes the link, whatever came before.
    mutating func end() throws(Violation) {
        now += .seconds(150)
        _ = machine.checkLease(at: now)
        if machine.state == .ready { try require(machine.isSuspended, "its lease does not end") }
        // The first check after a pause allows one more interval, in which a process that was stopped can receive
        // frames.
        for _ in 0..<20 where machine.state == .ready {
            now = max(now, machine.nextTick ?? now)
            _ = machine.tick(at: now)
        }
        try require(machine.state != .ready, "a silent link stays open")
    }

    private func payload<Value: Codable>(_ type: Value.Type, _ script: inout Script) -> Value? {
        var frame = Frame(.welcome)
        frame.payload = script.bytes()
        return try? frame.decodePayload(as: type)
    }

    /// Checks that a deadline from the wire is a time for which a timer can be set.
    private func checkClock(_ time: UInt64) throws(Violation) {
        guard let clock else { return }
        let left = clock.instant(of: time) - now
        try require(left < .seconds(1 << 40) && left > .seconds(-1 << 40), "a deadline is \(left) away")
        _ = clock.microseconds(at: now)
    }

    /// Checks that sockets are opened and closed alternately, and that nothing follows the end.
    private func check(_ actions: [LinkMachine.Action], _ before: LinkMachine.State) throws(Violation) {
        if before == .ended { try require(actions.isEmpty && machine.state == .ended, "it continues after its end") }
        for action in actions {
            switch action {
            case .close, .waitForTurn:
                switch machine.state {
                case .waiting(let until): try require(until - now <= .seconds(10), "it waits for \(until - now)")
                case .ended: break
                default: throw Violation("the link was closed in the state \(machine.state)")
                }
            case .becomeReady: try require(machine.state == .ready, "it is ready in the state \(machine.state)")
            case .resume:
                try require(machine.state == .ready && !machine.isSuspended, "it resumes in the state \(machine.state)")
            case .suspend: try require(machine.isSuspended, "it suspends, and is not suspended")
            case .open, .greetAgain, .subscribe, .sendHeartbeat, .sendGoodbye, .fail: break
            }
        }
        if let next = machine.nextTick {
            try require(next - now <= .seconds(150), "the next tick is only after \(next - now)")
        }
    }
}
