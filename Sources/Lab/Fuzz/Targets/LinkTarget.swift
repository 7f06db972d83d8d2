import Bus
import CBOR

extension FuzzTarget {
    /// The life of a peer's link, with any host: payloads of any content at any time.
    static let link = FuzzTarget("link") { input, _ in
        var script = Script(input)
        var play = LinkPlay(synchronizes: script.byte() % 2 == 0)
        while !script.isAtEnd { try play.step(&script) }
        try play.end()
    }
}

/// A link's machine, and the clock it lives by.
private struct LinkPlay {
    private var machine: LinkMachine
    private var now = ContinuousClock.now
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
            // To the moment that it has asked for.
            now = max(now, machine.nextTick ?? now)
            actions = machine.tick(at: now)
            try require(machine.nextTick.map { $0 > now } ?? true, "it asks to be woken at once, again and again")
        case 7: actions = machine.received(heartbeat: script.number(), at: now)
        case 8: actions = machine.checkLease(at: now)
        default:
            try checkClock(script.number())
            actions = script.byte() == 0 ? machine.stop() : []
        }
        try check(actions, before)
    }

    /// Whatever the host has said, a peer that hears nothing more lets its scenes stand still, and gives the link up.
    mutating func end() throws(Violation) {
        now += .seconds(150)
        _ = machine.checkLease(at: now)
        if machine.state == .ready { try require(machine.isSuspended, "its lease does not end") }
        // The first look after such a time allows for one interval, in which a process that stood still may hear again.
        for _ in 0..<20 where machine.state == .ready {
            now = max(now, machine.nextTick ?? now)
            _ = machine.tick(at: now)
        }
        try require(machine.state != .ready, "a link that hears nothing is kept")
    }

    private func payload<Value: Codable>(_ type: Value.Type, _ script: inout Script) -> Value? {
        var frame = Frame(.welcome)
        frame.payload = script.bytes()
        return try? frame.decodePayload(as: type)
    }

    /// A deadline from the wire is a time that can be waited for.
    private func checkClock(_ time: UInt64) throws(Violation) {
        guard let clock else { return }
        let left = clock.instant(of: time) - now
        try require(left < .seconds(1 << 40) && left > .seconds(-1 << 40), "a deadline is \(left) away")
        _ = clock.microseconds(at: now)
    }

    /// Sockets are opened and closed in turns, and an end is an end.
    private func check(_ actions: [LinkMachine.Action], _ before: LinkMachine.State) throws(Violation) {
        if before == .ended { try require(actions.isEmpty && machine.state == .ended, "it goes on after its end") }
        for action in actions {
            switch action {
            case .close:
                switch machine.state {
                case .waiting(let until): try require(until - now <= .seconds(2), "it waits for \(until - now)")
                case .ended: break
                default: throw Violation("it closed in the state \(machine.state)")
                }
            case .becomeReady: try require(machine.state == .ready, "it is ready in the state \(machine.state)")
            case .resume:
                try require(machine.state == .ready && !machine.isSuspended, "it resumes in \(machine.state)")
            case .suspend: try require(machine.isSuspended, "it suspends, and is not suspended")
            case .open, .subscribe, .sendHeartbeat, .sendGoodbye, .fail: break
            }
        }
        if let next = machine.nextTick {
            try require(next - now <= .seconds(150), "it is not to be woken before \(next - now)")
        }
    }
}
