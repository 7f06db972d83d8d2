/// The bytes received and sent by a network interface since its creation: a line of `/proc/net/dev`.
struct InterfaceCounters: Hashable, Sendable {
    let receivedBytes: UInt64
    let sentBytes: UInt64

    /// Parses the whole file and skips lines in another format, such as the two header lines. Nil when there are only
    /// such lines.
    static func all(parsing bytes: [UInt8]) -> [String: InterfaceCounters]? {
        var counters: [String: InterfaceCounters] = [:]
        for line in ProcText.completeLines(of: bytes) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                let name = ProcText.fields(of: line[..<colon]).first
            else { continue }
            let fields = ProcText.fields(of: line[(colon + 1)...])
            guard fields.count >= 9, let received = ProcText.number(fields[0]), let sent = ProcText.number(fields[8])
            else { continue }
            let counter = InterfaceCounters(receivedBytes: received, sentBytes: sent)
            counters[ProcText.printable(name, maximumBytes: 64)] = counter
        }
        return counters.isEmpty ? nil : counters
    }
}
