/// A page of the output of a process that the host started.
package struct LogPage: Codable, Hashable, Sendable {
    package var lines: [LogLine]
    /// The number of the last line that is known with this page. The next page continues after it.
    package var last: UInt64
    /// Whether more lines are available already.
    package var hasMore: Bool
    /// The number of the newest line that there is; `nil` from a host that does not say it.
    package var newest: UInt64?
    /// The lines that have no end yet, as they are now; `nil` from a host that does not show them. Each comes again as one of
    /// `lines` when it has ended, perhaps longer, and then takes the place of this one.
    package var unfinished: [LogLine]?
    /// Why there is no process, if the last attempt to start one has failed; `nil` also from a host that does not say it.
    package var notStarted: String?

    package init(
        lines: [LogLine], last: UInt64, hasMore: Bool, newest: UInt64? = nil, unfinished: [LogLine]? = nil,
        notStarted: String? = nil
    ) {
        self.lines = lines
        self.last = last
        self.hasMore = hasMore
        self.newest = newest
        self.unfinished = unfinished
        self.notStarted = notStarted
    }
}

/// One line of a process's output.
package struct LogLine: Codable, Hashable, Sendable {
    /// The line's number, counted from 1 over all processes of the instance. A gap in the numbers stands for lines that
    /// are not kept.
    package var number: UInt64
    /// The start of the instance that wrote the line, counted in the host's life; 0 for the first.
    package var start: Int
    /// Whether the line was written to standard error.
    package var isError: Bool
    /// The text of the line, truncated when it is very long. It may contain terminal control sequences.
    package var text: String

    package init(number: UInt64, start: Int, isError: Bool, text: String) {
        self.number = number
        self.start = start
        self.isError = isError
        self.text = text
    }
}
