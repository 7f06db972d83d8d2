/// The life of a peer's link to the host, as a value: events in, actions out, time fed in.
///
///     idle > greeting > subscribing > synchronizing > ready
///              ^  any doubt: close, wait, open anew
///
/// A reconnect of the transport is not a registration: after every doubt the link starts over with a fresh socket and a
/// hello. Nothing stale can be sent then, for the old socket is gone with what it queued.
package struct LinkMachine: Sendable {
    package enum State: Hashable, Sendable {
        case idle
        /// A hello has been sent.
        case greeting(since: ContinuousClock.Instant)
        /// Welcomed; the subscription is on its way to the publisher, and its first beacon on the way back.
        case subscribing(since: ContinuousClock.Instant)
        /// The first snapshot has been asked for. It may be large, and others may get theirs first: the wait lasts as long as both
        /// flows live.
        case synchronizing
        case ready
        /// Waiting to try again.
        case waiting(until: ContinuousClock.Instant)
        case ended
    }

    package enum Action: Hashable, Sendable {
        /// Make a fresh socket, connect it and send the hello.
        case open
        /// Subscribe at the publisher on a fresh socket, to the changes first and then to the beacons.
        case subscribe(Welcome)
        /// The link can be used.
        case becomeReady(Welcome)
        /// Send a heartbeat with this id: the host answers with the same.
        case sendHeartbeat(id: UInt64)
        /// The host may count this peer as dead by now: nothing may speak for a session any more.
        case suspend
        /// The host has answered in time after all, and has not counted this peer as dead.
        case resume
        case sendGoodbye
        /// Close the sockets; what was sent and not answered is lost.
        case close(Loss)
        /// Give up for good.
        case fail(Refusal)
    }

    /// Why a link was closed.
    package enum Loss: Hashable, Sendable, CustomStringConvertible {
        case noAnswer
        case silent(Duration)
        /// Nothing comes from the publisher, also after a fresh subscription.
        case publisherSilent(Duration)
        case refused(Refusal)
        case hostEnded
        case stopped

        package var description: String {
            switch self {
            case .noAnswer: return "the host does not answer"
            case .silent(let duration): return "the host has been silent for \(duration)"
            case .publisherSilent(let duration):
                return "nothing has come from the host's publisher for \(duration)"
            case .refused(let refusal): return "the host refused the link: \(refusal.reason)"
            case .hostEnded: return "the host has ended"
            case .stopped: return "the link was closed"
            }
        }
    }

    package struct Configuration: Sendable {
        /// How long a hello or a subscription may go unanswered.
        package var answerTimeout: Duration = .seconds(2)
        /// The wait before the first new try; doubled up to `maximumBackoff`.
        package var backoff: Duration = .milliseconds(100)
        package var maximumBackoff: Duration = .seconds(2)
        /// Whether the peer keeps a copy of the container.
        package var synchronizes = true

        package init() {}
    }

    /// The heartbeats that a host may ask for, in milliseconds: none would spin, a very long one never find it dead.
    private static let heartbeats = 10...60_000

    package private(set) var state = State.idle
    private let configuration: Configuration
    /// The share of a wait that is random, so that a thousand peers do not come back at the same moment.
    private let jitter: @Sendable () -> Double
    private var failures = 0
    private var welcome: Welcome?
    /// The life of each flow: one that dies alone, say in a firewall between, must not be taken for alive because of the other.
    private var bus: Liveness?
    private var publisher: Liveness?
    /// A fresh subscription has been made because nothing came from the publisher, and nothing has come since.
    private var hasSubscribedAgain = false
    private var lease: Lease?
    /// The lease is over: nothing may speak for a session.
    package private(set) var isSuspended = false
    private var nextHeartbeat: ContinuousClock.Instant?
    /// Heartbeats are numbered by the time since then, in microseconds: an answer tells when its question was sent.
    private var origin: ContinuousClock.Instant?

    /// - Parameter jitter: a number from 0 to 1 for each wait.
    package init(
        configuration: Configuration = Configuration(),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.configuration = configuration
        self.jitter = jitter
    }

    package mutating func start(at now: ContinuousClock.Instant) -> [Action] {
        guard state == .idle else { return [] }
        state = .greeting(since: now)
        origin = now
        return [.open]
    }

    package mutating func received(_ welcome: Welcome, at now: ContinuousClock.Instant) -> [Action] {
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

    /// The first beacon has come, and the first snapshot is asked for.
    package mutating func askedForSnapshot(at now: ContinuousClock.Instant) {
        guard case .subscribing = state, let bus else { return }
        state = .synchronizing
        publisher = Liveness(interval: bus.interval, now: now)
    }

    /// The last part of the first snapshot has come.
    package mutating func synchronized(at now: ContinuousClock.Instant) -> [Action] {
        guard case .synchronizing = state, let welcome else { return [] }
        return becomeReady(welcome)
    }

    private mutating func becomeReady(_ welcome: Welcome) -> [Action] {
        state = .ready
        failures = 0
        return [.becomeReady(welcome)]
    }

    package mutating func received(_ refusal: Refusal, at now: ContinuousClock.Instant) -> [Action] {
        switch state {
        case .idle, .ended, .waiting: return []
        case .greeting, .subscribing, .synchronizing, .ready: break
        }
        if refusal.isTemporary { return giveUp(.refused(refusal), at: now) }
        state = .ended
        return [.close(.refused(refusal)), .fail(refusal)]
    }

    /// There is nothing to connect to.
    package mutating func foundNoHost(at now: ContinuousClock.Instant) -> [Action] {
        guard case .greeting = state else { return [] }
        return giveUp(.noAnswer, at: now)
    }

    /// The host says that it ends.
    package mutating func receivedGoodbye(at now: ContinuousClock.Instant) -> [Action] {
        switch state {
        case .idle, .ended, .waiting: return []
        case .greeting, .subscribing, .synchronizing, .ready: return [.sendGoodbye] + giveUp(.hostEnded, at: now)
        }
    }

    /// Anything has come from the host over the bus.
    package mutating func heard(at now: ContinuousClock.Instant) { bus?.heard(at: now) }

    /// Anything has come from the host's publisher.
    package mutating func heardPublisher(at now: ContinuousClock.Instant) {
        publisher?.heard(at: now)
        hasSubscribedAgain = false
    }

    /// When a heartbeat was sent; `nil` when that cannot be: a number from the wire must not make a lease of its own.
    package func time(ofHeartbeat id: UInt64, at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard id > 0, let origin else { return nil }
        let sent = origin + .microseconds(Int64(clamping: min(id, UInt64(1) << 50)))
        return sent <= now ? sent : nil
    }

    /// The host has answered a heartbeat.
    package mutating func received(heartbeat id: UInt64, at now: ContinuousClock.Instant) -> [Action] {
        guard lease != nil, let sent = time(ofHeartbeat: id, at: now) else { return [] }
        lease?.renew(sentAt: sent)
        guard isSuspended, state == .ready, lease?.isOver(at: now) == false else { return [] }
        isSuspended = false
        return [.resume]
    }

    /// Whether scenes may act: asked before each thing that they do, for a process that was stopped has not ticked.
    package mutating func checkLease(at now: ContinuousClock.Instant) -> [Action] {
        guard state == .ready, !isSuspended, let lease, lease.isOver(at: now) else { return [] }
        isSuspended = true
        return [.suspend]
    }

    /// Looks at the clock.
    package mutating func tick(at now: ContinuousClock.Instant) -> [Action] {
        switch state {
        case .idle, .ended:
            return []
        case .waiting(let until):
            guard now >= until else { return [] }
            state = .greeting(since: now)
            return [.open]
        case .greeting(let since):
            return now - since >= configuration.answerTimeout ? giveUp(.noAnswer, at: now) : []
        case .subscribing(let since):
            if now - since >= configuration.answerTimeout { return giveUp(.noAnswer, at: now) }
            return look(at: now)
        case .synchronizing, .ready:
            return look(at: now)
        }
    }

    private mutating func look(at now: ContinuousClock.Instant) -> [Action] {
        var actions = checkLease(at: now)
        if let silent = bus?.look(at: now) { return actions + giveUp(.silent(silent), at: now) }
        if let silent = publisher?.look(at: now), let welcome, let bus {
            guard !hasSubscribedAgain else { return actions + giveUp(.publisherSilent(silent), at: now) }
            // The link itself is well, and its scenes go on.
            hasSubscribedAgain = true
            publisher = Liveness(interval: bus.interval, now: now)
            actions.append(.subscribe(welcome))
        }
        if let bus, let origin, let next = nextHeartbeat, now >= next {
            nextHeartbeat = now + bus.interval
            let (seconds, attoseconds) = (now - origin).components
            actions.append(.sendHeartbeat(id: UInt64(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)))
        }
        return actions
    }

    /// When to look at the clock while there is a link.
    private var nextLook: ContinuousClock.Instant? {
        [bus?.nextLook, publisher?.nextLook, nextHeartbeat, isSuspended || state != .ready ? nil : lease?.end]
            .compactMap { $0 }.min()
    }

    private mutating func giveUp(_ loss: Loss, at now: ContinuousClock.Instant) -> [Action] {
        let doubled = configuration.backoff * (1 << min(failures, 10))
        let wait = min(doubled, configuration.maximumBackoff) * (0.5 + jitter() / 2)
        failures += 1
        welcome = nil
        bus = nil
        publisher = nil
        hasSubscribedAgain = false
        lease = nil
        nextHeartbeat = nil
        state = .waiting(until: now + wait)
        return [.close(loss)]
    }

    package mutating func stop() -> [Action] {
        defer { state = .ended }
        switch state {
        case .idle, .ended, .waiting: return []
        case .greeting, .subscribing, .synchronizing, .ready: return [.sendGoodbye, .close(.stopped)]
        }
    }

    /// When to call ``tick(at:)`` next; `nil` when only an event can change anything.
    package var nextTick: ContinuousClock.Instant? {
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
