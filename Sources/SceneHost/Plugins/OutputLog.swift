import Bus
import DequeModule
import Glibc

/// The last lines that a process wrote, bounded in lines and in bytes.
struct OutputLog: Sendable {
    static let maximumLines = 500
    static let maximumSize = 256 << 10
    /// The bytes of one line that are kept.
    static let maximumLine = 4096

    /// A line whose end has not come.
    private struct Partial {
        var bytes: [UInt8] = []
        var isCut = false

        mutating func add(_ more: UnsafeRawBufferPointer) {
            let room = OutputLog.maximumLine - bytes.count
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: more.prefix(room)))
            if more.count > room { isCut = true }
        }
    }

    /// Counts the process's starts in the host's life: 0 for the first.
    let start: Int
    private(set) var lines: Deque<LogLine> = []
    /// The number of the line that was written last; 0 before the first of the first process.
    private(set) var lastNumber: UInt64
    /// What it wrote last to its standard error, else to its standard output, and is not blank.
    var lastWords: String? { lastError ?? lastOutput }

    private var size = 0
    private var output = Partial()
    private var error = Partial()
    private var lastError: String?
    private var lastOutput: String?

    /// - Parameter lastNumber: the number of the last line of the process before.
    init(start: Int = 0, after lastNumber: UInt64 = 0) {
        self.start = start
        self.lastNumber = lastNumber
    }

    /// Adds what has been read.
    mutating func append(_ bytes: UnsafeRawBufferPointer, isError: Bool) {
        let ends = Self.lineEnds(in: bytes)
        var start = 0
        // Lines that would be removed at once are only counted: a process that writes without end costs little.
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

    private static func lineEnds(in bytes: UnsafeRawBufferPointer) -> [Int] {
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

    /// The process has ended: what it has begun is a line too.
    mutating func finish() {
        if !output.bytes.isEmpty { endLine(isError: false) }
        if !error.bytes.isEmpty { endLine(isError: true) }
    }

    private mutating func extend(_ bytes: UnsafeRawBufferPointer, isError: Bool) {
        guard !bytes.isEmpty else { return }
        if isError { error.add(bytes) } else { output.add(bytes) }
    }

    private mutating func endLine(isError: Bool) {
        let line = isError ? error : output
        if isError { error = Partial() } else { output = Partial() }
        var bytes = line.bytes[...]
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        let text = String(decoding: bytes, as: UTF8.self) + (line.isCut ? "…" : "")
        lastNumber += 1
        lines.append(LogLine(number: lastNumber, start: start, isError: isError, text: text))
        size += text.utf8.count
        while lines.count > Self.maximumLines || size > Self.maximumSize {
            size -= lines.removeFirst().text.utf8.count
        }
        guard text.contains(where: { !$0.isWhitespace }) else { return }
        if isError { lastError = text } else { lastOutput = text }
    }
}

/// What an instance's present process and the one before have written.
struct OutputHistory: Sendable {
    /// The lines of a page, and their bytes.
    private static let pageLines = 200
    private static let pageSize = 64 << 10

    private(set) var previous: OutputLog?
    var present: OutputLog

    init() {
        present = OutputLog()
    }

    /// Another process is started.
    mutating func begin(start: Int) {
        guard start != present.start else { return }
        previous = present
        present = OutputLog(start: start, after: present.lastNumber)
    }

    /// The lines after one.
    /// - Parameters:
    ///   - isPrevious: only those of the process before.
    ///   - number: the last line that is known; `nil` for the first page of one process. One that no process has written yet is of
    ///     another life of the host: what there is begins anew.
    func page(isPrevious: Bool, after number: UInt64?) -> LogPage {
        let logs = [isPrevious || number != nil ? previous : nil, isPrevious ? nil : present].compactMap { $0 }
        let newest = logs.last?.lastNumber ?? 0
        let known = number.map { $0 > newest ? 0 : $0 } ?? 0
        var page = LogPage(lines: [], last: newest, hasMore: false)
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
