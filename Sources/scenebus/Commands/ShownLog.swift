import Bus
import PeerLink

/// What a command has shown of a process's output: the last line, and the lines that had no end yet.
struct ShownLog {
    /// A line without an end, of one output of the process.
    private struct Unfinished {
        var line: LogLine
        var isShown: Bool
    }

    private(set) var known: LogLine?
    private var unfinished: [Unfinished] = []

    /// Adds a line that has ended.
    /// - Returns: whether it is to be shown. It is not if it was shown already, with the same text, before it had its end.
    mutating func add(_ line: LogLine) -> Bool {
        known = line
        let before = unfinished.first { $0.line.isError == line.isError }
        unfinished.removeAll { $0.line.isError == line.isError }
        guard let before, before.isShown else { return true }
        return before.line.start != line.start || before.line.text != line.text
    }

    /// Takes the lines that have no end now.
    /// - Returns: those to show: they have not changed since the last call, and were not shown.
    mutating func settled(_ lines: [LogLine]) -> [LogLine] {
        var settled: [LogLine] = []
        unfinished = lines.map { line in
            let before = unfinished.first { $0.line.isError == line.isError && $0.line.start == line.start }
            guard let before, before.line.text == line.text else { return Unfinished(line: line, isShown: false) }
            if !before.isShown { settled.append(line) }
            return Unfinished(line: line, isShown: true)
        }
        return settled
    }

    /// Says on standard error how many lines before a line were dropped before they were read.
    func sayDropped(before number: UInt64) { Self.sayDropped(after: known, before: number) }

    static func sayDropped(after known: LogLine?, before number: UInt64) {
        guard let known, number > known.number + 1 else { return }
        StandardError.write("scenebus: \(number - known.number - 1) lines were dropped before they were read")
    }
}
