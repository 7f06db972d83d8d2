import Glibc

/// What is missing in an output, and why. It is a value.
struct OutputLoss: Hashable {
    /// Lines of the process itself.
    var lines: UInt64 = 0
    /// Bytes of the output of other processes that the process has passed on.
    var bytes: UInt64 = 0
    /// The system's error with which writing has failed; `nil` if nobody read.
    var error: Int32?

    var isEmpty: Bool { lines == 0 && bytes == 0 }

    mutating func add(_ other: OutputLoss) {
        lines += other.lines
        bytes += other.bytes
        if let error = other.error { self.error = error }
    }

    /// The line that says what is missing, without its end.
    /// - Parameter label: the label of the log whose form the line has; `nil` if the output is not a log.
    func notice(label: String?) -> String {
        var parts: [String] = []
        let place = label == nil ? "output" : "log"
        if lines > 0 { parts.append("\(lines) line\(lines == 1 ? "" : "s") of this \(place)") }
        if bytes > 0 { parts.append("\(bytes) byte\(bytes == 1 ? "" : "s") of plugins' output") }
        let isOne = lines + bytes == 1
        let reason = error.map { String(cString: strerror($0)) } ?? (isOne ? "nobody read it" : "nobody read them")
        let text = parts.joined(separator: " and ") + " \(isOne ? "is" : "are") missing: \(reason)"
        return label.map { "\(Self.timestamp()) warning \($0): \(text)" } ?? text
    }

    /// The time of day as log lines have it.
    private static func timestamp() -> String {
        var now = time(nil)
        var local = tm()
        localtime_r(&now, &local)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            guard let base = text.baseAddress, strftime(base, text.count, "%Y-%m-%dT%H:%M:%S%z", &local) > 0 else {
                return "-"
            }
            return String(cString: base)
        }
    }
}
