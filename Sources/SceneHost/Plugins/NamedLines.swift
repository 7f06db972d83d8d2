import Bus
import Messaging

/// Makes lines for the host's log of what a process writes: each is whole, begins with the name of the process, and does
/// not act on a terminal. It is a value: the caller passes the time.
///
/// The output of several processes goes to the same place as the host's own lines, which must stay lines.
struct NamedLines: Sendable {
    /// How long a line that has no end yet is waited for, such as a question.
    static let patience = Duration.seconds(1)

    private static let carriageReturn = UInt8(ascii: "\r")

    private let prefix: [UInt8]
    private var partial: [UInt8] = []
    /// Whether the beginning of the line was a line already.
    private var isContinued = false
    /// When to call ``lookAgain(at:)``; `nil` if nothing waits.
    private(set) var due: MonotonicInstant?

    init(name: String) {
        prefix = Array("\(name): ".utf8)
    }

    /// Adds bytes that have been read.
    /// - Returns: the lines that are whole now.
    mutating func add(_ bytes: UnsafeRawBufferPointer, at now: MonotonicInstant) -> [UInt8] {
        var lines: [UInt8] = []
        var start = 0
        for end in OutputLog.lineEnds(in: bytes) {
            extend(bytes[start..<end], &lines)
            endLine(&lines, isWhole: true)
            start = end + 1
        }
        extend(bytes[start...], &lines)
        if due == nil, !partial.isEmpty { due = now + Self.patience }
        return lines
    }

    /// - Returns: the line that has waited for its end long enough.
    mutating func lookAgain(at now: MonotonicInstant) -> [UInt8] {
        guard let due, now >= due else { return [] }
        return finish()
    }

    /// - Returns: the line that has no end, because the process has ended.
    mutating func finish() -> [UInt8] {
        var lines: [UInt8] = []
        if !partial.isEmpty { endLine(&lines, isWhole: false) }
        return lines
    }

    private mutating func extend(_ bytes: Slice<UnsafeRawBufferPointer>, _ lines: inout [UInt8]) {
        var rest = bytes
        while partial.count + rest.count > OutputLog.maximumLine {
            let room = OutputLog.maximumLine - partial.count
            partial += rest.prefix(room)
            rest = rest.dropFirst(room)
            endLine(&lines, isWhole: false)
        }
        partial += rest
    }

    private mutating func endLine(_ lines: inout [UInt8], isWhole: Bool) {
        // The end alone of a line that is in the log already makes no further one.
        if !isContinued || partial.contains(where: { $0 != Self.carriageReturn }) {
            lines += prefix
            appendPartial(to: &lines)
            lines.append(UInt8(ascii: "\n"))
        }
        partial.removeAll(keepingCapacity: true)
        isContinued = !isWhole
        due = nil
    }

    private func appendPartial(to lines: inout [UInt8]) {
        // Most lines are plain, and a process may write many.
        if partial.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == UInt8(ascii: "\t") }) {
            lines += partial
            return
        }
        // Of a line that was written again after a carriage return, the last state counts.
        let state = partial.split(separator: Self.carriageReturn).last ?? []
        for scalar in String(decoding: state, as: UTF8.self).withoutTerminalSequences.unicodeScalars {
            lines += String(scalar.isUnprintable && scalar != "\t" ? "\u{FFFD}" : scalar).utf8
        }
    }
}
