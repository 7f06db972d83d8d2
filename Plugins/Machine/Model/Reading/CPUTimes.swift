/// The times that a processor has spent in each state since the start of the machine, in clock ticks.
struct CPUTimes: Hashable, Sendable {
    /// user, nice, system, idle, iowait, irq, softirq, steal. Guest time is left out because user includes it.
    let ticks: [UInt64]

    private static let count = 8
    private static let idleIndexes = [3, 4]

    /// Parses the fields of a line. Nil when one isn't a number, or when one of the first four, all that old kernels
    /// have, is missing.
    init?(fields: some Collection<ArraySlice<UInt8>>) {
        let numbers = fields.prefix(Self.count).map { ProcText.number($0) }
        let ticks = numbers.compactMap { $0 }
        guard ticks.count == numbers.count, ticks.count >= 4 else { return nil }
        self.ticks = ticks + Array(repeating: 0, count: Self.count - ticks.count)
    }

    /// The busy fraction of the time since the previous figures, 0...1. Nil when no time has passed or the counters
    /// were reset.
    func busyFraction(since previous: CPUTimes) -> Double? {
        // Doubles, because the sum of the counters in a hostile or broken file can overflow 64 bits.
        guard sum >= previous.sum else { return nil }
        // A single counter, such as iowait, can decrease slightly, which counts as no time.
        let spent = zip(ticks, previous.ticks).map { now, before in now > before ? Double(now - before) : 0 }
        let total = spent.reduce(0, +)
        guard total > 0 else { return nil }
        return (total - Self.idleIndexes.reduce(0) { $0 + spent[$1] }) / total
    }

    private var sum: Double { ticks.reduce(0) { $0 + Double($1) } }
}
