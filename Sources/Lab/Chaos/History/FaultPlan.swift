import SeededRandom

/// The schedule of faults. The same seed makes the same plan.
package struct FaultPlan: Hashable, Sendable {
    package struct Step: Codable, Hashable, Sendable {
        package var number: Int
        package var kind: FaultKind
        /// The time of its start, relative to the start of the plan.
        package var at: Duration
        /// The duration; for a kill, the time until the process is restarted.
        package var length: Duration
        /// The index of the worker, plugin or machine, starting at 0.
        package var target: Int
        /// The amount, depending on the kind: a percentage of packets, milliseconds, seconds, or an index of a variant.
        package var amount: Int
    }

    package let steps: [Step]

    /// The targets of the faults.
    package struct Population: Hashable, Sendable {
        package var machines: Int
        package var workers: Int
        package var plugins: Int

        package init(machines: Int, workers: Int, plugins: Int) {
            self.machines = machines
            self.workers = workers
            self.plugins = plugins
        }
    }

    /// - Parameters:
    ///   - length: the duration of the plan; every fault has ended by then.
    ///   - kinds: the kinds to choose from.
    package init(
        seed: UInt64, length: Duration, population: Population, kinds: [FaultKind] = FaultKind.allCases
    ) {
        var random = SeededGenerator(seed: seed)
        var steps: [Step] = []
        var bag: [FaultKind] = []
        var cursor = Duration.seconds(1)
        while cursor < length - .seconds(1), !kinds.isEmpty {
            // Each kind occurs once before any is repeated, so that a short run also has most of them.
            if bag.isEmpty { bag = kinds.shuffled(using: &random) }
            let kind = bag.removeLast()
            let limit = length - cursor
            let step = Step(
                number: steps.count + 1, kind: kind, at: cursor,
                length: min(Self.length(of: kind, using: &random), limit),
                target: Self.target(of: kind, in: population, using: &random),
                amount: Self.amount(of: kind, using: &random))
            cursor += .milliseconds(Int.random(in: 600...2400, using: &random))
            if !steps.contains(where: { $0.excludes(step) }) { steps.append(step) }
        }
        self.steps = steps
    }

    private static func length(of kind: FaultKind, using random: inout SeededGenerator) -> Duration {
        let range =
            switch kind {
            case .killWorker, .killPlugin, .killHost, .killRack, .powerCut: 200...1500
            case .stopWorker, .stopPlugin: 300...6000
            case .stopHost: 300...4000
            // The fault maker kills the process at the end of the fault, because no supervisor detects the hang: the
            // host has not started this process.
            case .hangWorker: 7500...10_000
            // The time that the host's supervisor has to replace it.
            case .hangPlugin: 10_000...10_000
            case .cutLink, .cutOneWay: 300...7000
            case .cutRack: 2000...10_000
            // Long enough for both peers of a link to detect the fault and to recover.
            case .cutBus, .cutPublisher: 2000...12_000
            case .loss, .delay: 2000...6000
            case .deafSubscriber: 4000...10_000
            case .readsNothing: 5000...12_000
            case .garbage: 500...2000
            case .fullDisk: 1000...4000
            case .secondHost: 5000...6000
            case .clockJump: 1000...8000
            case .drainWorker: 500...3000
            // Longer than a revoked key may still have a link.
            case .revokeKey: 3000...6000
            // Long enough to attach anew when the old key ends, and to try that key after its end.
            case .rotateKey: 7000...9000
            // Longer than most faults, so that each process is attached at some time.
            case .rotateHostKey: 15_000...20_000
            // The time in which a third worker crashes, and the session is isolated.
            case .crashScene: 15_000...18_000
            case .greedyPeer: 4000...8000
            // A host that stands still meanwhile exceeds the time of a recovery.
            case .unreadLog: 9000...12_000
            // The time that the host's supervisor has to replace the plugin.
            case .silentConnections, .stubbornPlugin: 10_000...10_000
            // Longer than the host needs to notice the loss and to write a new copy.
            case .removeStore: 4000...5000
            }
        return .milliseconds(Int.random(in: range, using: &random))
    }

    private static func target(
        of kind: FaultKind, in population: Population, using random: inout SeededGenerator
    ) -> Int {
        let targets =
            switch kind {
            case .killWorker, .stopWorker, .hangWorker, .drainWorker, .revokeKey, .rotateKey: 0..<population.workers
            case .killPlugin, .stopPlugin: 0..<population.plugins
            case .cutLink, .cutOneWay, .loss, .delay: 0..<population.machines
            // A connection within the host's machine crosses no link.
            case .cutBus, .cutPublisher: 1..<population.machines
            // Every second worker, starting with the first or the second.
            case .killRack: 0..<2
            case .killHost, .stopHost, .hangPlugin, .cutRack, .deafSubscriber, .readsNothing, .garbage, .fullDisk,
                .powerCut, .secondHost, .clockJump, .crashScene, .greedyPeer, .unreadLog, .silentConnections,
                .removeStore, .stubbornPlugin, .rotateHostKey:
                0..<1
            }
        return Int.random(in: targets, using: &random)
    }

    private static func amount(of kind: FaultKind, using random: inout SeededGenerator) -> Int {
        switch kind {
        case .loss: Int.random(in: 5...30, using: &random)
        case .delay: Int.random(in: 5...120, using: &random)
        case .cutBus, .cutPublisher: Int.random(in: 0..<FaultPlan.FlowCut.all.count, using: &random)
        case .clockJump: Self.jumps.randomElement(using: &random) ?? 0
        case .greedyPeer: Int.random(in: 0..<Greed.allCases.count, using: &random)
        default: Int.random(in: 0...1, using: &random)
        }
    }
}

/// What a greedy peer takes.
package enum Greed: String, Codable, CaseIterable, Sendable {
    /// Subscriptions of the publisher.
    case subscriptions
    /// One hello after another on the same connection.
    case hellos
    /// Snapshots that it has requested already.
    case snapshots
    /// Entries of names that change.
    case entries
    /// Entries that are set and removed.
    case removedEntries
    /// Records of `@Once` requests.
    case records
    /// Replies that it reports as received, although it reads none.
    case misreported
    /// Names of messages, with a new name of its own each time.
    case names
}

extension FaultPlan {
    /// How one of a link's two flows is cut.
    package struct FlowCut: Hashable, Sendable {
        package enum Direction: String, Hashable, Sendable, CaseIterable {
            case both = "both ways", toHost = "to the host", fromHost = "from the host"
        }
        package var direction: Direction
        /// Whether only existing connections are cut, as when a proxy or a firewall forgets them.
        package var sparesNew: Bool

        package static let all = [false, true].flatMap { sparesNew in
            Direction.allCases.map { FlowCut(direction: $0, sparesNew: sparesNew) }
        }
    }

    /// The number under which the crash of a worker by a step's scene is recorded. It differs from those of the steps and
    /// of other crashes.
    package static func number(ofCrash index: Int, in step: Step) -> Int { (step.number + 1) * 10_000 + index }

    /// The jumps of the time of day in seconds, as caused by an administrator or by the first contact with a time
    /// server.
    private static let jumps = [-172_800, -3600, -20, 20, 3600, 172_800]
}

extension FaultPlan.Step {
    /// What the greedy peer takes.
    package var greed: Greed { Greed.allCases[amount] }

    /// How the flow is cut.
    package var flowCut: FaultPlan.FlowCut { FaultPlan.FlowCut.all[amount] }

    private var end: Duration { at + length }

    /// Whether a later step conflicts with this one.
    func excludes(_ other: FaultPlan.Step) -> Bool {
        guard at < other.end, other.at < end else { return false }
        if kind == other.kind, target == other.target { return true }
        let pair: Set = [kind, other.kind]
        // They share the machine's port, so ending one fault would also end the other.
        if pair.count == 2, pair.isSubset(of: [.cutLink, .cutOneWay, .cutRack]) { return true }
        // One fault must not undo the other's effect on a process by continuing or replacing it.
        if target == other.target, pair.contains(.hangWorker), !pair.isDisjoint(with: [.killWorker, .stopWorker]) {
            return true
        }
        if pair.contains(.revokeKey) {
            if pair.contains(.killRack) { return true }
            if target == other.target, !pair.isDisjoint(with: [.hangWorker, .killWorker, .stopWorker]) { return true }
        }
        // The end of a key is a time of day, and a revoked key has nothing to be replaced.
        if pair.contains(.rotateKey) {
            if pair.contains(.clockJump) { return true }
            if target == other.target, pair.contains(.revokeKey) { return true }
        }
        if pair.isSuperset(of: [.rotateHostKey, .clockJump]) { return true }
        // There is only one host process. If it ends while the disk is full, unwritten state is legitimately lost.
        // While no host runs, a second one may open the store. A host that has ended or is stopped cannot replace a
        // plugin.
        if kind.endsHost && other.kind.endsHost { return true }
        // The store's new copy must be complete before the host ends.
        if kind.endsHost || other.kind.endsHost {
            return !pair.isDisjoint(
                with: [
                    .fullDisk, .stopHost, .secondHost, .hangPlugin, .removeStore, .silentConnections, .stubbornPlugin,
                ])
        }
        // The disk must have room for the new copy, and a second host must find the lock of the first one.
        if pair.contains(.removeStore), !pair.isDisjoint(with: [.fullDisk, .secondHost, .stopHost]) { return true }
        // A host that is stopped replaces no plugin, and two faults must not wait for the same one.
        let replacing: Set<FaultKind> = [.hangPlugin, .silentConnections, .stubbornPlugin]
        if pair.count == 2, pair.isSubset(of: replacing) { return true }
        return pair.contains(.stopHost) && !pair.isDisjoint(with: replacing)
    }
}
