/// What processors spent their time on since the start, in clock ticks.
struct CPUTimes: Hashable, Sendable {
    /// user, nice, system, idle, iowait, irq, softirq, steal. Guest time is left out: the kernel counts it in user too.
    let ticks: [UInt64]

    private static let count = 8
    private static let idleIndexes = [3, 4]

    /// Nil when there are fewer than user, nice, system and idle, or one isn't a number. Old kernels have no more.
    init?(fields: some Collection<ArraySlice<UInt8>>) {
        let numbers = fields.prefix(Self.count).map { ProcText.number($0) }
        let ticks = numbers.compactMap { $0 }
        guard ticks.count == numbers.count, ticks.count >= 4 else { return nil }
        self.ticks = ticks + Array(repeating: 0, count: Self.count - ticks.count)
    }

    /// The busy fraction of the time since the previous figures, 0...1. Nil when no time has passed, and when the
    /// counters started anew.
    func busyFraction(since previous: CPUTimes) -> Double? {
        // Doubles, because a hostile or broken file can hold counters whose sum has no room in 64 bits.
        guard sum >= previous.sum else { return nil }
        // A single counter, iowait for one, can go back by a little; that is no time spent.
        let spent = zip(ticks, previous.ticks).map { now, before in now > before ? Double(now - before) : 0 }
        let total = spent.reduce(0, +)
        guard total > 0 else { return nil }
        return (total - Self.idleIndexes.reduce(0) { $0 + spent[$1] }) / total
    }

    private var sum: Double { ticks.reduce(0) { $0 + Double($1) } }
}
