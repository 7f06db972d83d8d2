import Bus
import DequeModule
import Glibc

/// The last lines that a process wrote, limited in number and in bytes.
struct OutputLog: Sendable {
    static let maximumLines = 500
    static let maximumSize = 256 << 10
    /// The maximum number of bytes that are kept of one line.
    static let maximumLine = 4096

    /// An incomplete line. A carriage return, with which a program writes over its line, as for its progress, begins it
    /// anew.
    private struct Partial {
        var bytes: [UInt8] = []
        var isCut = false
        /// Whether the next bytes replace the line, unless they end it.
        private var isReturned = false

        mutating func add(_ more: UnsafeRawBufferPointer) {
            let isReturn: (UInt8) -> Bool = { $0 == UInt8(ascii: "\r") }
            guard let last = more.lastIndex(where: { !isReturn($0) }) else {
                isReturned = true
                return
            }
            let text = more[...last]
            let start = text.lastIndex(where: isReturn).map { $0 + 1 }
            if isReturned || start != nil {
                bytes = []
                isCut = false
            }
            isReturned = last + 1 < more.count
            let state = text[(start ?? 0)...]
            let room = OutputLog.maximumLine - bytes.count
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: state.prefix(room)))
            if state.count > room { isCut = true }
        }

        var text: String { String(decoding: bytes, as: UTF8.self) + (isCut ? "…" : "") }
    }

    /// The number of the process's start during this run of the host; 0 for the first.
    let start: Int
    private(set) var lines: Deque<LogLine> = []
    /// The number of the last line; 0 before the first line of the first process.
    private(set) var lastNumber: UInt64
    /// The last line on the standard error, else on the standard output, that is not blank.
    var lastWords: String? { lastError ?? lastOutput }

    /// The line that says why the process has ended so: what a crash quotes, which is followed by a backtrace, else the
    /// last line.
    func lastWords(of end: ProcessEnd) -> String? { end.isCrash ? crashWords : lastWords }

    /// The last words of a process that has crashed.
    var crashWords: String? { crash ?? lastWords }

    private var size = 0
    private var output = Partial()
    private var error = Partial()
    private var lastError: String?
    private var lastOutput: String?
    /// The last line with which the Swift runtime ends a process, else the one before its backtrace.
    private var crash: String?

    /// - Parameter lastNumber: the number of the previous process's last line.
    init(start: Int = 0, after lastNumber: UInt64 = 0) {
        self.start = start
        self.lastNumber = lastNumber
    }

    /// Appends bytes that have been read.
    mutating func append(_ bytes: UnsafeRawBufferPointer, isError: Bool) {
        let ends = Self.lineEnds(in: bytes)
        var start = 0
        // Only count lines that would be removed at once, so that a process that writes without pause costs little.
        let surplus = max(0, ends.count - Self.maximumLines)
        if surplus > 0 {
            lastNumber += UInt64(surplus)
            start = ends[surplus - 1] + 1
            if isError { error = Partial() } else { output = Partial() }
        }
        for end in ends[surplus...] {
            extend(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), isError: isError)
            endLine(isError: isError)
            start = end + 1
        }
        extend(UnsafeRawBufferPointer(rebasing: bytes[start...]), isError: isError)
    }

    /// The offsets of the line feeds.
    static func lineEnds(in bytes: UnsafeRawBufferPointer) -> [Int] {
        guard let base = bytes.baseAddress else { return [] }
        var ends: [Int] = []
        var start = 0
        while start < bytes.count,
            let end = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
        {
            let offset = UnsafeRawPointer(end) - base
            ends.append(offset)
            start = offset + 1
        }
        return ends
    }

    /// Turns the incomplete lines into lines after the process has ended.
    mutating func finish() {
        if !output.bytes.isEmpty { endLine(isError: false) }
        if !error.bytes.isEmpty { endLine(isError: true) }
    }

    /// The lines that have no end yet, of the standard output and of the standard error, as they are now.
    ///
    /// They have the numbers that they would get if they ended now, in this order.
    var unfinished: [LogLine] {
        var found: [LogLine] = []
        for (partial, isError) in [(output, false), (error, true)] where !partial.bytes.isEmpty {
            let number = lastNumber + UInt64(found.count) + 1
            found.append(LogLine(number: number, start: start, isError: isError, text: partial.text))
        }
        return found
    }

    private mutating func extend(_ bytes: UnsafeRawBufferPointer, isError: Bool) {
        guard !bytes.isEmpty else { return }
        if isError { error.add(bytes) } else { output.add(bytes) }
    }

    private mutating func endLine(isError: Bool) {
        let line = isError ? error : output
        if isError { error = Partial() } else { output = Partial() }
        let text = line.text
        lastNumber += 1
        lines.append(LogLine(number: lastNumber, start: start, isError: isError, text: text))
        size += text.utf8.count
        while lines.count > Self.maximumLines || size > Self.maximumSize {
            size -= lines.removeFirst().text.utf8.count
        }
        guard text.contains(where: { !$0.isWhitespace }) else { return }
        guard isError else {
            lastOutput = text
            return
        }
        if Self.crashes.contains(where: { text.contains($0) }) {
            crash = text
        } else if crash == nil, text.hasPrefix("*** Signal ") {
            crash = lastError
        }
        lastError = text
    }

    /// What the Swift runtime says before it ends a process.
    private static let crashes = ["Fatal error:", "Precondition failed:", "Assertion failed:"]
}

/// The output of an instance's current process and of the previous one.
struct OutputHistory: Sendable {
    /// The maximum number of lines on a page, and their maximum size in bytes.
    private static let pageLines = 200
    private static let pageSize = 64 << 10

    private(set) var previous: OutputLog?
    var present: OutputLog

    init() {
        present = OutputLog()
    }

    /// Starts a new log for a new process.
    mutating func begin(start: Int) {
        guard start != present.start else { return }
        previous = present
        present = OutputLog(start: start, after: present.lastNumber)
    }

    /// Returns a page of lines.
    /// - Parameters:
    ///   - isPrevious: whether to return only lines of the previous process.
    ///   - number: the last line that the caller knows; `nil` for the first page of one process. A number that is
    ///     larger than all lines is from an earlier run of the host: the page then starts with the oldest line.
    func page(isPrevious: Bool, after number: UInt64?) -> LogPage {
        let logs = [isPrevious || number != nil ? previous : nil, isPrevious ? nil : present].compactMap { $0 }
        let newest = logs.last?.lastNumber ?? 0
        let known = number.map { $0 > newest ? 0 : $0 } ?? 0
        var page = LogPage(
            lines: [], last: newest, hasMore: false, newest: newest, unfinished: logs.last?.unfinished ?? [])
        var size = 0
        for line in logs.lazy.flatMap(\.lines) where line.number > known {
            size += line.text.utf8.count
            guard page.lines.count < Self.pageLines, size <= Self.pageSize || page.lines.isEmpty else {
                page.hasMore = true
                page.last = page.lines.last?.number ?? known
                break
            }
            page.lines.append(line)
        }
        return page
    }
}
