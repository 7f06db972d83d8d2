/// Gives each process of a history a number of its own, where the system has given a process id again: a busy machine does so
/// within minutes.
struct ProcessNumbers {
    /// When processes of each id ended, in order.
    private var ends: [Int32: [UInt64]] = [:]

    /// - Parameter records: in the order of their times.
    init(_ records: [HistoryRecord]) {
        for record in records {
            if case .ended = record.event { ends[record.pid, default: []].append(record.time) }
        }
    }

    /// The id itself for the first process that had it; another number for each later one. Ids have 22 bits.
    private func number(of pid: Int32, at time: UInt64) -> Int32 {
        guard let ends = ends[pid] else { return pid }
        return pid | Int32(ends.count { $0 < time } & 0x1FF) << 22
    }

    /// The record with the numbers in the place of ids.
    func distinguishing(_ record: HistoryRecord) -> HistoryRecord {
        var record = record
        record.pid = number(of: record.pid, at: record.time)
        switch record.event {
        case .fault(var fault):
            fault.pids = fault.pids.map { number(of: $0, at: record.time) }
            record.event = .fault(fault)
        case .attached(let pids):
            record.event = .attached(pids: pids.map { number(of: $0, at: record.time) })
        case .final(var look):
            look.observers = look.observers.map { number(of: $0, at: record.time) }
            record.event = .final(look)
        default: break
        }
        return record
    }
}
