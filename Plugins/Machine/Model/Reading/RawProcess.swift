/// A process as `/proc/PID` shows it, without its arguments: `cmdline` is never read because it can contain secrets.
struct RawProcess: Hashable, Sendable {
    let pid: Int32
    let name: String
    let state: ProcessState
    /// User and system time, in clock ticks.
    let ticks: UInt64
    /// The start time, in clock ticks after the machine's start. Together with the id it identifies a process uniquely.
    let startTicks: UInt64
    let threads: Int
    let residentPages: UInt64
    var userID: UInt32?

    /// Parses `/proc/PID/stat`. Nil when it is truncated or a field isn't a number.
    init?(pid: Int32, stat bytes: [UInt8]) {
        // The name is in parentheses and can contain any byte, including parentheses and line feeds.
        guard bytes.last == UInt8(ascii: "\n"), let open = bytes.firstIndex(of: UInt8(ascii: "(")),
            let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close
        else { return nil }
        let fields = ProcText.fields(of: bytes[(close + 1)...].dropLast())
        guard fields.count >= 22, let letter = fields[0].first, fields[0].count == 1,
            let userTicks = ProcText.number(fields[11]), let systemTicks = ProcText.number(fields[12]),
            let threads = ProcText.number(fields[17]).flatMap({ Int(exactly: $0) }),
            let startTicks = ProcText.number(fields[19]), let residentPages = ProcText.number(fields[21])
        else { return nil }
        let (ticks, overflow) = userTicks.addingReportingOverflow(systemTicks)
        guard !overflow else { return nil }
        self.pid = pid
        name = ProcText.printable(bytes[(open + 1)..<close], maximumBytes: 64)
        state = ProcessState(letter: letter)
        self.ticks = ticks
        self.startTicks = startTicks
        self.threads = threads
        self.residentPages = residentPages
    }

    /// The effective user in `/proc/PID/status`, whose `Uid` line lists the real, effective, saved and file system
    /// user.
    static func userID(parsing status: [UInt8]) -> UInt32? {
        for line in ProcText.completeLines(of: status) where line.starts(with: "Uid:".utf8) {
            let fields = ProcText.fields(of: line)
            return fields.count >= 3 ? ProcText.number(fields[2]).flatMap { UInt32(exactly: $0) } : nil
        }
        return nil
    }
}
