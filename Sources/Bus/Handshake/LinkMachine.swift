/// The state machine of a peer's link to the host. It is a value: the caller passes in events and the time, and
/// performs the returned actions.
///
///     idle > greeting > subscribing > synchronizing > ready
///              ^  on any problem: close, wait, open again
///
/// A reconnect of the transport does not register the peer again. After every problem the link starts over with a new
/// socket and a hello, so no stale frame can be sent on the new link. Only a peer that is told to wait for its turn keeps
/// its socket.
package struct LinkMachine: Sendable {
    package enum State: Hashable, Sendable {
        case idle
        /// A hello has been sent.
        case greeting(since: MonotonicInstant)
        /// The welcome has arrived, and the link has subscribed to the publisher. The publisher's first beacon has not
        /// arrived yet.
        case subscribing(since: MonotonicInstant)
        /// The first snapshot has been requested. It may be large, and other peers may get theirs first, so the link
        /// waits as long as both flows are alive.
        case synchronizing
        case ready
        /// Waiting before the next attempt.
        case waiting(until: MonotonicInstant)
        case ended
    }

    package enum Action: Hashable, Sendable {
        /// Create a new socket, connect it and send the hello.
        case open
        /// Send the hello again on the socket, which is still open.
        case greetAgain
        /// Subscribe to the publisher on a new socket, first to the deltas and then to the beacons.
        case subscribe(Welcome)
        /// The link can be used.
        case becomeReady(Welcome)
        /// Send a heartbeat with this id. The host's reply has the same id.
        case sendHeartbeat(id: UInt64)
        /// The lease has expired. The host may consider this peer dead, so nothing may act for a session any more.
        case suspend
        /// The host has replied after all and has not considered this peer dead. Its scenes may act again.
        case resume
        case sendGoodbye
        /// Close the sockets. Requests that were sent at most once and have no reply are lost; others are sent again.
        case close(Loss)
        /// Keep the socket open until it is this peer's turn.
        case waitForTurn(Refusal)
        /// Give up permanently.
        case fail(Refusal)
    }

    package struct Configuration: Sendable {
        /// How long to wait for the reply to a hello, or for the first beacon after a subscription.
        package var answerTimeout: Duration = .seconds(2)
        /// The wait before the first new attempt. It is doubled with each attempt, up to `maximumBackoff`.
        package var backoff: Duration = .milliseconds(100)
        package var maximumBackoff: Duration = .seconds(2)
        /// Whether the peer keeps a copy of the container.
        package var synchronizes = true

        package init() {}
    }

    /// The heartbeat intervals that a host may ask for, in milliseconds. A shorter one would keep the peer busy; with a
    /// longer one it would not notice that the host is dead.
    private static let heartbeats = 10...60_000
    /// The longest wait that a host may ask for.
    private static let maximumWait = Duration.seconds(10)

    package private(set) var state = State.idle
    private let configuration: Configuration
    /// Returns the random share of a wait, so that a thousand peers do not reconnect at the same moment.
    private let jitter: @Sendable () -> Double
    private var failures = 0
    /// Whether the socket is open while the link waits.
    private var keepsSocket = false
    private var welcome: Welcome?
    /// Each flow is watched alone. One can die while the other works, for example because of a firewall.
    private var bus: Liveness?
    private var publisher: PublisherWatch?
    private var lease: Lease?
    /// Whether the lease has expired, so that nothing may act for a session.
    package private(set) var isSuspended = false
    private var nextHeartbeat: MonotonicInstant?
    /// The id of a heartbeat is the time since this instant, in microseconds. The host's reply therefore shows when the
    /// heartbeat was sent.
    private var origin: MonotonicInstant?

    /// - Parameter jitter: returns a number from 0 to 1 for each wait.
    package init(
        configuration: Configuration = Configuration(),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.configuration = configuration
        self.jitter = jitter
    }

    package mutating func start(at now: MonotonicInstant) -> [Action] {
        guard state == .idle else { return [] }
        state = .greeting(since: now)
        origin = now
        return [.open]
    }

    package mutating func received(_ welcome: Welcome, at now: MonotonicInstant) -> [Action] {
        guard case .greeting(let helloSent) = state else { return [] }
        self.welcome = welcome
        let heartbeat = Duration.milliseconds(
            min(max(welcome.heartbeat, Self.heartbeats.lowerBound), Self.heartbeats.upperBound))
        bus = Liveness(interval: heartbeat, now: now)
        lease = Lease(interval: heartbeat)
        lease?.renew(sentAt: helloSent)
        isSuspended = false
        nextHeartbeat = now + heartbeat
        if configuration.synchronizes {
            state = .subscribing(since: now)
            return [.subscribe(welcome)]
        }
        return becomeReady(welcome)
    }

    /// Handles the request for the first snapshot, which follows the first beacon.
    package mutating func askedForSnapshot(at now: MonotonicInstant) {
        guard case .subscribing = state, let bus else { return }
        state = .synchronizing
        publisher = PublisherWatch(interval: bus.interval, now: now)
    }

    /// Handles the last part of the first snapshot.
    package mutating func synchronized(at now: MonotonicInstant) -> [Action] {
        guard case .synchronizing = state, let welcome else { return [] }
        return becomeReady(welcome)
    }

    private mutating func becomeReady(_ welcome: Welcome) -> [Action] {
        state = .ready
        failures = 0
        return [.becomeReady(welcome)]
    }

    package mutating func received(_ refusal: Refusal, at now: MonotonicInstant) -> [Action] {
        switch state {
        case .idle, .ended, .waiting: return []
        case .greeting, .subscribing, .synchronizing, .ready: break
        }
        // The wait differs each time, and the reason does not.
        var reason = refusal
        reason.wait = nil
        if case .greeting = state, refusal.code == .busy, let wait = refusal.wait {
            // Nothing but the hello was sent on the socket, so nothing on it can be stale. With thousands of peers, to
            // connect each of them again would cost the host more than to admit it.
            state = .waiting(until: now + pause(for: wait))
            keepsSocket = true
            return [.waitForTurn(reason)]
        }
        if refusal.isTemporary { return giveUp(.refused(reason), at: now, wait: refusal.wait) }
        state = .ended
        return [.close(.refused(refusal)), .fail(refusal)]
    }

    /// Ends the current attempt because there is no host to connect to.
    package mutating func foundNoHost(at now: MonotonicInstant) -> [Action] {
        guard case .greeting = state else { return [] }
        return giveUp(.noAnswer, at: now)
    }

    /// Handles the host's goodbye.
    package mutating func receivedGoodbye(at now: MonotonicInstant) -> [Action] {
        switch state {
        case .idle, .ended, .waiting: return []
        case .greeting, .subscribing, .synchronizing, .ready: return [.sendGoodbye] + giveUp(.hostEnded, at: now)
        }
    }

    /// Records that a frame has arrived from the host over the bus.
    package mutating func heard(at now: MonotonicInstant) { bus?.heard(at: now) }

    /// Records that a frame has arrived from the host's publisher.
    package mutating func heardPublisher(at now: MonotonicInstant) { publisher?.heard(at: now) }

    /// Returns when a heartbeat was sent; `nil` when the id is impossible. An arbitrary number from the wire must not
    /// extend the lease.
    package func time(ofHeartbeat id: UInt64, at now: MonotonicInstant) -> MonotonicInstant? {
        guard id > 0, let origin else { return nil }
        let sent = origin + .microseconds(Int64(clamping: min(id, UInt64(1) << 50)))
        return sent <= now ? sent : nil
    }

    /// Handles the host's reply to a heartbeat.
    package mutating func received(heartbeat id: UInt64, at now: MonotonicInstant) -> [Action] {
        guard lease != nil, let sent = time(ofHeartbeat: id, at: now) else { return [] }
        lease?.renew(sentAt: sent)
        guard isSuspended, state == .ready, lease?.isOver(at: now) == false else { return [] }
        isSuspended = false
        return [.resume]
    }

    /// Suspends the scenes when the lease has expired. Called before each of their actions, because a process that was
    /// stopped has not called ``tick(at:)``.
    package mutating func checkLease(at now: MonotonicInstant) -> [Action] {
        guard state == .ready, !isSuspended, let lease, lease.isOver(at: now) else { return [] }
        isSuspended = true
        return [.suspend]
    }

    /// Checks the timeouts.
    package mutating func tick(at now: MonotonicInstant) -> [Action] {
        switch state {
        case .idle, .ended:
            return []
        case .waiting(let until):
            guard now >= until else { return [] }
            state = .greeting(since: now)
            defer { keepsSocket = false }
            return [keepsSocket ? .greetAgain : .open]
        case .greeting(let since):
            return now - since >= configuration.answerTimeout ? giveUp(.noAnswer, at: now) : []
        case .subscribing(let since):
            if now - since >= configuration.answerTimeout { return giveUp(.noAnswer, at: now) }
            return look(at: now)
        case .synchronizing, .ready:
            return look(at: now)
        }
    }

    private mutating func look(at now: MonotonicInstant) -> [Action] {
        var actions = checkLease(at: now)
        if let silent = bus?.look(at: now) { return actions + giveUp(.silent(silent), at: now) }
        if let finding = publisher?.look(at: now), let welcome {
            switch finding {
            // The link itself works, and its scenes continue.
            case .subscribeAgain: actions.append(.subscribe(welcome))
            case .silent(let silent): return actions + giveUp(.publisherSilent(silent), at: now)
            }
        }
        if let bus, let origin, let next = nextHeartbeat, now >= next {
            nextHeartbeat = now + bus.interval
            let (seconds, attoseconds) = (now - origin).components
            actions.append(.sendHeartbeat(id: UInt64(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)))
        }
        return actions
    }

    /// When to check the time next while there is a link.
    private var nextLook: MonotonicInstant? {
        [bus?.nextLook, publisher?.nextLook, nextHeartbeat, isSuspended || state != .ready ? nil : lease?.end]
            .compactMap { $0 }.min()
    }

    /// - Parameter wait: how long the host wants the link to wait, in milliseconds.
    mutating func giveUp(_ loss: Loss, at now: MonotonicInstant, wait: Int? = nil) -> [Action] {
        let pause: Duration
        if let wait {
            pause = self.pause(for: wait)
        } else {
            let doubled = configuration.backoff * (1 << min(failures, 10))
            pause = min(doubled, configuration.maximumBackoff) * (0.5 + jitter() / 2)
            failures += 1
        }
        welcome = nil
        bus = nil
        publisher = nil
        lease = nil
        nextHeartbeat = nil
        state = .waiting(until: now + pause)
        return [.close(loss)]
    }

    /// Returns how long to wait when the host asks for a wait in milliseconds.
    private func pause(for wait: Int) -> Duration {
        min(max(.milliseconds(wait), configuration.backoff), Self.maximumWait)
    }

    package mutating func stop() -> [Action] {
        defer { state = .ended }
        switch state {
        case .waiting where keepsSocket: return [.close(.stopped)]
        case .idle, .ended, .waiting: return []
        case .greeting, .subscribing, .synchronizing, .ready: return [.sendGoodbye, .close(.stopped)]
        }
    }

    /// When to call ``tick(at:)`` next; `nil` when only an event can change anything.
    package var nextTick: MonotonicInstant? {
        switch state {
        case .idle, .ended: return nil
        case .waiting(let until): return until
        case .greeting(let since): return since + configuration.answerTimeout
        case .subscribing(let since):
            let answer = since + configuration.answerTimeout
            return nextLook.map { min($0, answer) } ?? answer
        case .synchronizing, .ready: return nextLook
        }
    }
}
