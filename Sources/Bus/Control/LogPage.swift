/// Some of what a process that the host has started has written.
package struct LogPage: Codable, Hashable, Sendable {
    package var lines: [LogLine]
    /// Where the next page goes on: the number of the last line that is known with this page.
    package var last: UInt64
    /// There are more lines already.
    package var hasMore: Bool

    package init(lines: [LogLine], last: UInt64, hasMore: Bool) {
        self.lines = lines
        self.last = last
        self.hasMore = hasMore
    }
}

/// One line of a process's output.
package struct LogLine: Codable, Hashable, Sendable {
    /// Counts the lines of all processes of the instance, from 1. A number that is left out stands for a line that is not kept.
    package var number: UInt64
    /// Counts the instance's starts in the host's life: 0 for the first.
    package var start: Int
    /// It was written to the standard error.
    package var isError: Bool
    /// The line, cut when it is very long. It may hold what acts on a terminal.
    package var text: String

    package init(number: UInt64, start: Int, isError: Bool, text: String) {
        self.number = number
        self.start = start
        self.isError = isError
        self.text = text
    }
}
