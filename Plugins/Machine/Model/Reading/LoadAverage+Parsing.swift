extension LoadAverage {
    /// Parses `/proc/loadavg`, such as `0.12 0.34 0.56 2/345 6789`. Nil for any other format.
    init?(parsing bytes: [UInt8]) {
        guard let line = ProcText.completeLines(of: bytes).first else { return nil }
        let fields = ProcText.fields(of: line)
        guard fields.count >= 4, let one = ProcText.decimal(fields[0]), let five = ProcText.decimal(fields[1]),
            let fifteen = ProcText.decimal(fields[2])
        else { return nil }
        let threads = fields[3].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { ProcText.number($0).flatMap { Int(exactly: $0) } }
        guard threads.count == 2, let running = threads[0], let total = threads[1] else { return nil }
        self.init(
            oneMinute: one, fiveMinutes: five, fifteenMinutes: fifteen, runningThreads: running, totalThreads: total)
    }
}
