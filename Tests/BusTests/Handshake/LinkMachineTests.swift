import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct LinkMachineTests {
    private let start = MonotonicInstant.now
    private let welcome = Welcome(
        version: 1, epoch: 7, link: 3, publisher: "ipc:///x", heartbeat: 1000, clock: 0, host: "h", pid: 1)

    private func at(_ seconds: Double) -> MonotonicInstant { start + .seconds(seconds) }

    private func machine(synchronizes: Bool = true, jitter: Double = 1) -> LinkMachine {
        var configuration = LinkMachine.Configuration()
        configuration.synchronizes = synchronizes
        return LinkMachine(configuration: configuration, jitter: { jitter })
    }

    @Test func `A link sends its hello, subscribes, and becomes ready when the snapshot has arrived`() {
        var machine = machine()
        #expect(machine.start(at: at(0)) == [.open])
        #expect(machine.received(welcome, at: at(0.1)) == [.subscribe(welcome)])
        #expect(machine.state == .subscribing(since: at(0.1)))
        machine.askedForSnapshot(at: at(0.15))
        #expect(machine.state == .synchronizing)
        #expect(machine.synchronized(at: at(0.2)) == [.becomeReady(welcome)])
        #expect(machine.state == .ready)
    }

    @Test func `A peer without a copy of the container is ready as soon as it is welcomed`() {
        var machine = machine(synchronizes: false)
        _ = machine.start(at: at(0))
        #expect(machine.received(welcome, at: at(0.1)) == [.becomeReady(welcome)])
    }

    @Test func `An unanswered hello is sent again on a new socket, each time after a longer delay`() {
        var machine = machine()
        _ = machine.start(at: at(0))
        #expect(machine.tick(at: at(1.9)) == [])
        var now = 2.0
        for wait in [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0] {
            #expect(machine.tick(at: at(now)) == [.close(.noAnswer)])
            // The delay is scaled by a fraction, so rounding leaves attoseconds.
            let off = machine.nextTick.map { abs(($0 - at(now)) / .seconds(1) - wait) }
            #expect(off.map { $0 < 1e-6 } == true)
            now += wait
            #expect(machine.tick(at: at(now + 0.001)) == [.open])
            now += 2.002
        }
    }

    @Test func `Jitter spreads the delay over its second half`() {
        var machine = machine(jitter: 0)
        _ = machine.start(at: at(0))
        _ = machine.tick(at: at(2))
        #expect(machine.nextTick == at(2) + .milliseconds(50))
    }

    @Test func `An unanswered subscription closes the link`() {
        var machine = machine()
        _ = machine.start(at: at(0))
        _ = machine.received(welcome, at: at(0.1))
        machine.heard(at: at(2))
        #expect(machine.tick(at: at(2.2)) == [.close(.noAnswer)])
    }

    @Test func `The first snapshot may take any time while the bus and the publisher are both alive`() {
        var machine = machine()
        _ = machine.start(at: at(0))
        _ = machine.received(welcome, at: at(0.1))
        machine.askedForSnapshot(at: at(0.2))
        for time in [1.5, 3.0, 4.5] {
            machine.heard(at: at(time))
            machine.heardPublisher(at: at(time))
            #expect(machine.tick(at: at(time + 0.1)).count == 1)
        }
        #expect(machine.synchronized(at: at(4.6)) == [.becomeReady(welcome)])
        machine.askedForSnapshot(at: at(5))
        #expect(machine.state == .ready)
    }

    @Test func `While waiting for the first snapshot, silence of the bus or of the publisher is detected`() {
        var machine = machine()
        _ = machine.start(at: at(0))
        _ = machine.received(welcome, at: at(0.1))
        machine.askedForSnapshot(at: at(0.25))
        for time in [1.25, 2.25] { #expect(machine.tick(at: at(time)).count == 1) }
        machine.heard(at: at(2.25))
        #expect(machine.tick(at: at(2.75)) == [.subscribe(welcome)])
        for time in [3.25, 4.25] {
            machine.heardPublisher(at: at(time))
            #expect(machine.tick(at: at(time)).count == 1)
        }
        #expect(machine.tick(at: at(4.75)) == [.close(.silent(.seconds(2.5)))])
    }

    @Test func `A silent host is sent heartbeats, and the link is closed after two and a half intervals`() {
        var machine = machine(synchronizes: false)
        _ = machine.start(at: at(0))
        _ = machine.received(welcome, at: at(0))
        #expect(machine.tick(at: at(1)) == [.sendHeartbeat(id: 1_000_000)])
        #expect(machine.tick(at: at(2)) == [.suspend, .sendHeartbeat(id: 2_000_000)])
        #expect(machine.tick(at: at(2.6)) == [.close(.silent(.milliseconds(2600)))])
    }

    @Test(arguments: [(0, 10), (-5, 10), (Int.min, 10), (Int.max, 60_000), (250, 250)])
    func `A heartbeat interval out of bounds is clamped`(asked: Int, used: Int) {
        var machine = machine(synchronizes: false)
        _ = machine.start(at: at(0))
        var welcome = welcome
        welcome.heartbeat = asked
        _ = machine.received(welcome, at: at(0))
        #expect(machine.nextTick == start + .milliseconds(used))
    }

    @Test(arguments: [true, false])
    func `Ticking exactly at the requested times always makes progress`(synchronizes: Bool) throws {
        var machine = machine(synchronizes: synchronizes)
        _ = machine.start(at: at(0))
        _ = machine.received(welcome, at: at(0.3))
        var now = at(0.3)
        for _ in 0..<100 {
            let next = try #require(machine.nextTick)
            #expect(next > now)
            now = next
            if machine.tick(at: now).contains(.open) { _ = machine.received(welcome, at: now) }
        }
    }

    @Test func `A permanent refusal ends the link, and a temporary one does not`() {
        var machine = machine()
        _ = machine.start(at: at(0))
        let taken = Refusal(.taken, "taken")
        #expect(machine.received(taken, at: at(0.1)) == [.close(.refused(taken))])
        #expect(machine.tick(at: at(0.3)) == [.open])
        let version = Refusal(.version, "other version")
        #expect(machine.received(version, at: at(0.4)) == [.close(.refused(version)), .fail(version)])
        #expect(machine.nextTick == nil)
        #expect(machine.tick(at: at(60)) == [])
    }

    @Test(
        arguments: [(nil, 0.1), (0, 0.1), (-1, 0.1), (1500, 1.5), (3_600_000, 10), (Int.max, 10)] as [(Int?, Double)])
    func `After a refusal, the peer waits for as long as the host says, within limits`(wait: Int?, seconds: Double) {
        var machine = machine()
        _ = machine.start(at: at(0))
        var busy = Refusal(.busy, "many peers")
        let reason = busy
        busy.wait = wait
        #expect(machine.received(busy, at: at(1)) == [wait == nil ? .close(.refused(reason)) : .waitForTurn(reason)])
        #expect(machine.tick(at: at(0.99 + seconds)) == [])
        #expect(machine.tick(at: at(1 + seconds)) == [wait == nil ? .open : .greetAgain])
    }

    @Test func `A link that waits for its turn keeps its socket until it is stopped, or gets no answer`() {
        var busy = Refusal(.busy, "many peers")
        let reason = busy
        busy.wait = 500
        var machine = machine(synchronizes: false)
        _ = machine.start(at: at(0))
        #expect(machine.received(busy, at: at(1)) == [.waitForTurn(reason)])
        // What comes meanwhile changes nothing.
        #expect(machine.received(welcome, at: at(1.1)) == [])
        #expect(machine.received(busy, at: at(1.2)) == [])
        #expect(machine.receivedGoodbye(at: at(1.3)) == [])
        var stopped = machine
        #expect(stopped.stop() == [.close(.stopped)])
        #expect(machine.tick(at: at(1.5)) == [.greetAgain])
        #expect(machine.received(busy, at: at(1.6)) == [.waitForTurn(reason)])
        #expect(machine.tick(at: at(2.1)) == [.greetAgain])
        #expect(machine.tick(at: at(4.2)) == [.close(.noAnswer)])
        #expect(machine.stop() == [])
    }

    @Test func `A host that says busy to a link that has greeted gets no special treatment`() {
        var busy = Refusal(.busy, "many peers")
        let reason = busy
        busy.wait = 500
        var machine = machine(synchronizes: false)
        _ = machine.start(at: at(0))
        _ = machine.received(welcome, at: at(1))
        #expect(machine.received(busy, at: at(2)) == [.close(.refused(reason))])
        #expect(machine.tick(at: at(2.5)) == [.open])
    }

    @Test func `After a goodbye from the host, the peer connects again`() {
        var machine = machine(synchronizes: false)
        _ = machine.start(at: at(0))
        _ = machine.received(welcome, at: at(0))
        #expect(machine.receivedGoodbye(at: at(1)) == [.sendGoodbye, .close(.hostEnded)])
        #expect(machine.tick(at: at(1.2)) == [.open])
    }

    @Test func `Stopping sends one goodbye`() {
        var machine = machine(synchronizes: false)
        _ = machine.start(at: at(0))
        _ = machine.received(welcome, at: at(0))
        #expect(machine.stop() == [.sendGoodbye, .close(.stopped)])
        #expect(machine.stop() == [])
        #expect(machine.received(welcome, at: at(1)) == [])
    }

    // MARK: - The lease

    /// Returns a machine that sent its hello at 0 and got its welcome at 0.1.
    private func ready() -> LinkMachine {
        var machine = machine(synchronizes: false)
        _ = machine.start(at: at(0))
        _ = machine.received(welcome, at: at(0.1))
        return machine
    }

    @Test func `An answered heartbeat renews the lease from the time it was sent`() {
        var machine = ready()
        #expect(machine.tick(at: at(1.1)) == [.sendHeartbeat(id: 1_100_000)])
        machine.heard(at: at(1.6))
        #expect(machine.received(heartbeat: 1_100_000, at: at(1.6)) == [])
        #expect(machine.checkLease(at: at(3.05)) == [])
        #expect(machine.checkLease(at: at(3.1)) == [.suspend])
        #expect(machine.checkLease(at: at(3.2)) == [])
    }

    @Test func `An answer that arrives after the lease has expired resumes the scenes`() {
        var machine = ready()
        _ = machine.tick(at: at(1.1))
        machine.heard(at: at(2.2))
        #expect(machine.checkLease(at: at(2.2)) == [.suspend])
        #expect(machine.received(heartbeat: 1_100_000, at: at(2.3)) == [.resume])
        #expect(machine.checkLease(at: at(2.4)) == [])
    }

    @Test(arguments: [UInt64.max, 1 << 51, 5_000_000])
    func `An answer to a heartbeat that was never sent renews nothing`(id: UInt64) {
        var machine = ready()
        #expect(machine.received(heartbeat: id, at: at(1)) == [])
        #expect(machine.checkLease(at: at(2)) == [.suspend])
    }

    @Test func `A process that was stopped finds its lease expired at its first check`() {
        var machine = ready()
        #expect(machine.checkLease(at: at(60)) == [.suspend])
    }

    @Test func `A new link begins with a new lease, even if that of the last link had expired`() {
        var machine = ready()
        #expect(machine.checkLease(at: at(60)) == [.suspend])
        #expect(machine.receivedGoodbye(at: at(60)) == [.sendGoodbye, .close(.hostEnded)])
        #expect(machine.tick(at: at(61)) == [.open])
        #expect(machine.received(welcome, at: at(61.5)) == [.becomeReady(welcome)])
        #expect(!machine.isSuspended)
        #expect(machine.checkLease(at: at(62)) == [])
        #expect(machine.checkLease(at: at(63)) == [.suspend])
    }
}

// MARK: - Two flows

@Suite(.timeLimit(.minutes(5)))
struct LinkMachineFlowTests {
    private let start = MonotonicInstant.now
    private let welcome = Welcome(
        version: 1, epoch: 7, link: 3, publisher: "ipc:///x", heartbeat: 1000, clock: 0, host: "h", pid: 1)

    private func at(_ seconds: Double) -> MonotonicInstant { start + .milliseconds(Int(seconds * 1000)) }

    /// Returns a machine that is ready at 0.2.
    private func ready() -> LinkMachine {
        var machine = LinkMachine(jitter: { 1 })
        _ = machine.start(at: at(0))
        _ = machine.received(welcome, at: at(0.1))
        machine.askedForSnapshot(at: at(0.2))
        _ = machine.synchronized(at: at(0.2))
        return machine
    }

    /// Simulates a bus that answers each heartbeat until the end.
    private func answering(_ machine: inout LinkMachine, from begin: Double, to end: Double) -> [LinkMachine.Action] {
        var actions: [LinkMachine.Action] = []
        for tenth in Int(begin * 10)...Int(end * 10) {
            let now = at(Double(tenth) / 10)
            for action in machine.tick(at: now) {
                guard case .sendHeartbeat(let id) = action else {
                    actions.append(action)
                    continue
                }
                machine.heard(at: now)
                actions += machine.received(heartbeat: id, at: now)
            }
        }
        return actions
    }

    @Test func `A publisher that alone falls silent is subscribed to again, and the link stays ready`() {
        var machine = ready()
        #expect(answering(&machine, from: 0.2, to: 2.6) == [])
        #expect(answering(&machine, from: 2.7, to: 2.7) == [.subscribe(welcome)])
        machine.heardPublisher(at: at(2.8))
        #expect(machine.state == .ready)
        #expect(!machine.isSuspended)
        // The same again: each silence causes one subscription.
        #expect(answering(&machine, from: 2.8, to: 5.4) == [.subscribe(welcome)])
    }

    @Test func `A publisher that stays silent ends the link within five seconds`() {
        var machine = ready()
        #expect(
            answering(&machine, from: 0.2, to: 5.2) == [
                .subscribe(welcome), .close(.publisherSilent(.milliseconds(2500))),
            ])
    }

    @Test func `Beacons do not count for the bus, whose silence ends the link`() {
        var machine = ready()
        for tenth in 3...24 { machine.heardPublisher(at: at(Double(tenth) / 10)) }
        _ = machine.tick(at: at(1.1))
        _ = machine.tick(at: at(2.2))
        machine.heardPublisher(at: at(2.5))
        #expect(machine.tick(at: at(2.6)).last == .close(.silent(.milliseconds(2500))))
    }
}
