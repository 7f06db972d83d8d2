/// The times in which something cannot be expected, sorted and disjoint.
struct Excuses: Sendable {
    private var spans: [Span] = []

    typealias Span = (start: UInt64, end: UInt64)

    init(_ spans: [Span]) {
        for span in spans.sorted(by: { $0.start < $1.start }) {
            if let last = self.spans.last, span.start <= last.end {
                self.spans[self.spans.count - 1].end = max(last.end, span.end)
            } else {
                self.spans.append(span)
            }
        }
    }

    /// The longest time without an excuse between two moments.
    func longestGap(from start: UInt64, to end: UInt64) -> UInt64 {
        var longest: UInt64 = 0
        var start = start
        for span in spans[spans.firstIndex(behind: { $0.end <= start })...] {
            guard span.start < end else { break }
            if span.start > start { longest = max(longest, span.start - start) }
            start = span.end
        }
        return start < end ? max(longest, end - start) : longest
    }
}

extension Checker {
    /// The times of faults that excuse a missing recovery, each extended by the aftermath.
    /// - Parameter isExcuse: whether recovery cannot be expected during a fault.
    func times(excusedBy isExcuse: (FaultRecord) -> Bool) -> Excuses {
        Excuses(
            faults.all.filter { !$0.record.sparesNew && isExcuse($0.record) }.map { fault in
                (fault.start, later(fault.end, by: margins.aftermath))
            })
    }

    func later(_ time: UInt64, by duration: UInt64) -> UInt64 { time > .max - duration ? .max : time + duration }
}
