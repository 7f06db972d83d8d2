import SeededRandom

/// Which fault is made when, as a value: the same seed makes the same plan.
package struct FaultPlan: Hashable, Sendable {
    package struct Step: Codable, Hashable, Sendable {
        package var number: Int
        package var kind: FaultKind
        /// When it begins, after the start.
        package var at: Duration
        /// How long it lasts; after a kill, how long it takes until the process is started again.
        package var length: Duration
        /// Which of the workers, plugins or machines: from 0 on.
        package var target: Int
        /// Percent of the packets, milliseconds, seconds, or which of several ways.
        package var amount: Int
    }

    package let steps: [Step]

    /// What there is to break.
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
    ///   - length: how long faults are made; each has ended by then.
    ///   - kinds: the kinds to choose from.
    package init(
        seed: UInt64, length: Duration, population: Population, kinds: [FaultKind] = FaultKind.allCases
    ) {
        var random = SeededGenerator(seed: seed)
        var steps: [Step] = []
        var bag: [FaultKind] = []
        var cursor = Duration.seconds(1)
        while cursor < length - .seconds(1), !kinds.isEmpty {
            // Each kind once before any comes again: also a short run has most of them.
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
            // The one who started it finds out, and kills it: here the one who makes the faults does.
            case .hangWorker: 7500...10_000
            // The host's own supervisor has so long for it.
            case .hangPlugin: 10_000...10_000
            case .cutLink, .cutOneWay: 300...7000
            case .cutRack: 2000...10_000
            // Long enough for both of a link's ends to have found out, and to have done what they can.
            case .cutBus, .cutPublisher: 2000...12_000
            case .loss, .delay: 2000...6000
            case .deafSubscriber: 4000...10_000
            case .readsNothing: 5000...12_000
            case .garbage: 500...2000
            case .fullDisk: 1000...4000
            case .secondHost: 5000...6000
            case .clockJump: 1000...8000
            case .drainWorker: 500...3000
            }
        return .milliseconds(Int.random(in: range, using: &random))
    }

    private static func target(
        of kind: FaultKind, in population: Population, using random: inout SeededGenerator
    ) -> Int {
        let targets =
            switch kind {
            case .killWorker, .stopWorker, .hangWorker, .drainWorker: 0..<population.workers
            case .killPlugin, .stopPlugin: 0..<population.plugins
            case .cutLink, .cutOneWay, .loss, .delay: 0..<population.machines
            // A connection inside of the host's machine crosses no link.
            case .cutBus, .cutPublisher: 1..<population.machines
            // Every other worker: from the first or from the second on.
            case .killRack: 0..<2
            case .killHost, .stopHost, .hangPlugin, .cutRack, .deafSubscriber, .readsNothing, .garbage, .fullDisk,
                .powerCut, .secondHost, .clockJump:
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
        default: Int.random(in: 0...1, using: &random)
        }
    }
}

extension FaultPlan {
    /// How one of a link's two flows is cut.
    package struct FlowCut: Hashable, Sendable {
        package enum Direction: String, Hashable, Sendable, CaseIterable {
            case both = "both ways", toHost = "to the host", fromHost = "from the host"
        }
        package var direction: Direction
        /// Only the connections that are there, as a proxy or a firewall forgets them.
        package var sparesNew: Bool

        package static let all = [false, true].flatMap { sparesNew in
            Direction.allCases.map { FlowCut(direction: $0, sparesNew: sparesNew) }
        }
    }

    /// By how many seconds the time of day jumps: what an administrator or a first word with a time server does.
    private static let jumps = [-172_800, -3600, -20, 20, 3600, 172_800]
}

extension FaultPlan.Step {
    /// How the flow is cut.
    package var flowCut: FaultPlan.FlowCut { FaultPlan.FlowCut.all[amount] }

    private var end: Duration { at + length }

    /// Whether a later step cannot be made beside this one.
    func excludes(_ other: FaultPlan.Step) -> Bool {
        guard at < other.end, other.at < end else { return false }
        if kind == other.kind, target == other.target { return true }
        let pair: Set = [kind, other.kind]
        // They share the machine's port, and one's mending would be the other's.
        if pair.count == 2, pair.isSubset(of: [.cutLink, .cutOneWay, .cutRack]) { return true }
        // What one does to a process must not be undone by the other: it would go on, or be another by then.
        if target == other.target, pair.contains(.hangWorker), !pair.isDisjoint(with: [.killWorker, .stopWorker]) {
            return true
        }
        // A host is one process. What a full disk did not take is lost with the memory, and that is nobody's fault. Where
        // no host runs, a second one may have the store. A host that is gone or stands still replaces no plugin.
        if kind.endsHost && other.kind.endsHost { return true }
        if kind.endsHost || other.kind.endsHost {
            return !pair.isDisjoint(with: [.fullDisk, .stopHost, .secondHost, .hangPlugin])
        }
        return pair == [.stopHost, .hangPlugin]
    }
}
