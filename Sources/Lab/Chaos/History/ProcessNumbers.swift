/// Assigns a unique number to each process of a history, because the system can reuse process ids within minutes on a
/// busy machine.
struct ProcessNumbers {
    /// The times at which the processes of each id ended, in order.
    private var ends: [Int32: [UInt64]] = [:]

    /// - Parameter records: the records, sorted by time.
    init(_ records: [HistoryRecord]) {
        for record in records {
            if case .ended = record.event { ends[record.pid, default: []].append(record.time) }
        }
    }

    /// The process id for the first process with that id, and a different number for each later one. Ids have 22 bits.
    private func number(of pid: Int32, at time: UInt64) -> Int32 {
        guard let ends = ends[pid] else { return pid }
        return pid | Int32(ends.count { $0 < time } & 0x1FF) << 22
    }

    /// The record with process numbers instead of ids.
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
