/// How long processes waited for a processor during a run.
///
/// On a busy machine everything takes longer, and a promise that names a time assumes a processor. The tolerances of the
/// checker therefore grow by the time for which its processes were ready and did not run.
package struct ProcessorWaits: Sendable {
    private struct Sample {
        var start: UInt64
        var end: UInt64
        /// The waiting time in it. It can exceed the length, because it is that of two processes.
        var waited: UInt64
    }

    private var samples: [Sample] = []

    /// - Parameter records: the records, sorted by time.
    init(_ records: [HistoryRecord]) {
        var last: UInt64?
        for record in records {
            guard case .waited(let nanoseconds) = record.event else { continue }
            if let last { samples.append(Sample(start: last, end: record.time, waited: nanoseconds)) }
            last = record.time
        }
    }

    /// The waiting time of the whole run, in nanoseconds.
    var total: UInt64 { samples.reduce(0) { $0 + $1.waited } }

    /// Returns a deadline that is later by the time for which processes waited before it.
    func extended(_ deadline: UInt64, since start: UInt64) -> UInt64 {
        let (later, isOver) = deadline.addingReportingOverflow(waited(from: start, to: deadline))
        return isOver ? .max : later
    }

    /// Returns a duration that is longer by the time for which processes waited between two moments.
    func extended(_ duration: UInt64, from start: UInt64, to end: UInt64) -> UInt64 {
        duration + waited(from: start, to: end)
    }

    /// The waiting time between two moments, in nanoseconds. Of a sample that lies only partly in between, it takes the
    /// whole: nobody knows in which part of it the processes waited.
    func waited(from start: UInt64, to end: UInt64) -> UInt64 {
        guard start < end else { return 0 }
        var sum: UInt64 = 0
        // The samples follow one another.
        for sample in samples[samples.firstIndex(behind: { $0.end <= start })...] {
            guard sample.start < end else { break }
            sum += sample.waited
        }
        return sum
    }
}
