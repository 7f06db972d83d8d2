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
        /// Percent of the packets, or milliseconds.
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
        var random = SeededGenerator(seed)
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
            case .killWorker, .killPlugin, .killHost: 200...1500
            case .stopWorker, .stopPlugin: 300...6000
            case .stopHost: 300...4000
            case .cutLink, .cutOneWay: 300...7000
            case .loss, .delay: 2000...6000
            case .deafSubscriber: 4000...10_000
            case .garbage: 500...2000
            case .fullDisk: 1000...4000
            case .drainWorker: 500...3000
            }
        return .milliseconds(Int.random(in: range, using: &random))
    }

    private static func target(
        of kind: FaultKind, in population: Population, using random: inout SeededGenerator
    ) -> Int {
        let count =
            switch kind {
            case .killWorker, .stopWorker, .drainWorker: population.workers
            case .killPlugin, .stopPlugin: population.plugins
            case .cutLink, .cutOneWay, .loss, .delay: population.machines
            case .killHost, .stopHost, .deafSubscriber, .garbage, .fullDisk: 1
            }
        return Int.random(in: 0..<max(count, 1), using: &random)
    }

    private static func amount(of kind: FaultKind, using random: inout SeededGenerator) -> Int {
        switch kind {
        case .loss: Int.random(in: 5...30, using: &random)
        case .delay: Int.random(in: 5...120, using: &random)
        default: Int.random(in: 0...1, using: &random)
        }
    }
}

extension FaultPlan.Step {
    private var end: Duration { at + length }

    /// Whether a later step cannot be made beside this one.
    func excludes(_ other: FaultPlan.Step) -> Bool {
        guard at < other.end, other.at < end else { return false }
        if kind == other.kind, target == other.target { return true }
        let pair: Set = [kind, other.kind]
        // The two share the machine's port, and one's mending would be the other's.
        if pair == [.cutLink, .cutOneWay] { return true }
        // What a full disk did not take is lost with the memory, and that is nobody's fault. A host is one process.
        return pair == [.killHost, .fullDisk] || pair == [.killHost, .stopHost]
    }
}

/// Random numbers that a seed repeats: SplitMix64.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(_ seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
