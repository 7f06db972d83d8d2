/// Checks the records of all processes, and reports which guarantees were violated.
package struct Checker: Sendable {
    /// The tolerances; times are in nanoseconds. Those for what takes time grow by the time for which the processes
    /// waited for a processor meanwhile.
    package struct Margins: Sendable {
        /// How much later than its deadline a request may end.
        package var deadline: UInt64 = 2_000_000_000
        /// The time without a fault after which the host has stored a scene's state: 250 ms, plus a tolerance.
        package var checkpoint: UInt64 = 1_500_000_000
        /// The time after a fault in which connections are reopened and packets are resent.
        package var aftermath: UInt64 = 3_000_000_000
        /// The time that a process has after SIGCONT to notice that it was stopped, provided that it does not act
        /// before.
        package var wakeUp: UInt64 = 1_000_000_000
        /// The time that a process has from its first sign of life to the suspension of the scenes whose lease has expired.
        package var suspension: UInt64 = 50_000_000
        /// How much earlier than its deadline a request may time out, to allow for its transmission and the rounding of
        /// clocks.
        package var early: UInt64 = 250_000_000
        /// The time of a recovery: a lost connection or process is detected within 3 s and replaced within 5 s, plus a
        /// tolerance.
        package var recovery: UInt64 = 7_000_000_000
        /// How long a peer may have a link after its key was revoked: a second, and the time of an observation.
        package var revocation: UInt64 = 2_000_000_000
        /// The host's maximum memory in a debug build, in megabytes. A peer that does not read uses a bounded part of
        /// it.
        package var hostMemory = 400
        /// The number of descriptors that a process may have in addition to those at the beginning.
        package var descriptors = 12

        package init() {}
    }

    let records: [HistoryRecord]
    let margins: Margins
    let processes: Processes
    let faults: Faults
    let waits: ProcessorWaits
    /// The inputs of each session, in order.
    let inputs: [String: [HistoryRecord]]
    /// When each process has recorded something.
    let recordTimes: [Int32: [UInt64]]
    private(set) var verdict = Verdict()

    /// - Parameter records: the records of all processes, in any order.
    package init(_ records: [HistoryRecord], margins: Margins = Margins()) {
        // Stable for equal times, so that one process's records keep their order.
        let sorted = records.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
        let numbers = ProcessNumbers(sorted)
        self.records = sorted.map(numbers.distinguishing)
        self.margins = margins
        processes = Processes(self.records)
        waits = ProcessorWaits(self.records)
        faults = Faults(self.records, margins: margins, waits: waits)
        var inputs: [String: [HistoryRecord]] = [:]
        for record in self.records {
            if case .input(_, let session, _) = record.event { inputs[session, default: []].append(record) }
        }
        self.inputs = inputs
        recordTimes = Dictionary(grouping: self.records, by: \.pid).mapValues { $0.map(\.time) }
    }

    /// Checks a history.
    /// - Returns: the violations and the statistics.
    package static func verdict(on records: [HistoryRecord], margins: Margins = Margins()) -> Verdict {
        var checker = Checker(records, margins: margins)
        checker.countFaults()
        checker.checkRequests()
        checker.checkDependencies()
        checker.checkSessions()
        checker.checkStates()
        checker.checkWatchers()
        checker.checkFreshness()
        checker.checkTyped()
        checker.checkAttachment()
        checker.checkRevocations()
        checker.checkAbsences()
        checker.checkHeldSessions()
        checker.checkEnd()
        checker.measureRecovery()
        checker.verdict.violations.sort { ($0.time, $0.detail) < ($1.time, $1.detail) }
        return checker.verdict
    }

    mutating func violation(_ promise: Promise, at time: UInt64, _ detail: String) {
        verdict.violations.append(Violation(promise: promise, time: time, detail: detail))
    }

    mutating func looked(at what: String, _ count: Int = 1) { verdict.checked[what, default: 0] += count }

    mutating func counted(_ kind: RecordedRequest.Kind, _ outcome: String) {
        verdict.requests[kind.rawValue, default: [:]][outcome, default: 0] += 1
    }

    mutating func tookToDetect(_ kind: FaultKind, _ time: UInt64) {
        verdict.longestDetection[kind.title] = max(verdict.longestDetection[kind.title] ?? 0, Int(time / 1_000_000))
    }

    mutating func tookToRestore(_ kind: FaultKind, _ time: UInt64) {
        verdict.longestRestoration[kind.title] = max(verdict.longestRestoration[kind.title] ?? 0, Int(time / 1_000_000))
    }

    private mutating func countFaults() {
        for fault in faults.all { verdict.faults[fault.record.kind.title, default: 0] += 1 }
        verdict.waitedForProcessor = Int(waits.total / 1_000_000)
    }

    /// Checks the state at the end of the run.
    private mutating func checkEnd() {
        for record in records {
            switch record.event {
            case .ended(let how, isExpected: false):
                violation(.endedByItself, at: record.time, "\(record.process) (\(record.pid)): \(how)")
            case .broke(let promise, let detail): violation(promise, at: record.time, detail)
            default: break
            }
        }
        guard let (time, look) = finalLook else { return }
        for (place, kilobytes) in look.memory {
            // The role is the part of the place's name before the number.
            let role = place.split(separator: "-").first.map(String.init) ?? place
            verdict.largestMemory[role] = max(verdict.largestMemory[role] ?? 0, kilobytes / 1024)
        }
        if let memory = verdict.largestMemory["host"] {
            looked(at: "memory of the host")
            if memory > margins.hostMemory {
                violation(
                    .memoryUnbounded, at: time, "the host had \(memory) MB; its bound is \(margins.hostMemory) MB")
            }
        }
        for process in look.leftProcesses { violation(.leaked, at: time, "process \(process) still runs") }
        for (process, count) in look.descriptors.sorted(by: { $0.key < $1.key }) {
            looked(at: "processes whose descriptors were counted")
            if count.after > count.before + margins.descriptors {
                violation(
                    .leaked, at: time,
                    "\(process) has \(count.after) descriptors open, and had \(count.before) at the beginning")
            }
        }
    }

    var finalLook: (time: UInt64, look: FinalLook)? {
        for record in records.reversed() {
            if case .final(let look) = record.event { return (record.time, look) }
        }
        return nil
    }
}

/// The lifetimes and machines of the processes.
struct Processes: Sendable {
    struct Life: Sendable {
        var name: String
        var machine: Int
        var start: UInt64
        /// When it ended or was about to be killed; `UInt64.max` while it runs.
        var end = UInt64.max
    }

    private(set) var lives: [Int32: Life] = [:]

    init(_ records: [HistoryRecord]) {
        for record in records {
            switch record.event {
            case .started(let machine):
                lives[record.pid] = Life(name: record.process, machine: machine, start: record.time)
            case .ended:
                // The process ended at the kill, before its parent was notified.
                if end(of: record.pid) > record.time { lives[record.pid]?.end = record.time }
            case .fault(let fault):
                switch fault.kind {
                case .killWorker, .killPlugin, .killHost, .killRack, .powerCut:
                    for pid in fault.pids { lives[pid]?.end = record.time }
                default: break
                }
            default: break
            }
        }
    }

    func end(of pid: Int32) -> UInt64 { lives[pid]?.end ?? .max }
    func name(of pid: Int32) -> String { lives[pid].map { "\($0.name) (\(pid))" } ?? "process \(pid)" }
}

/// The faults with their times.
struct Faults: Sendable {
    struct Fault: Sendable {
        var record: FaultRecord
        var start: UInt64
        var end: UInt64
    }

    private(set) var all: [Fault] = []
    private let margins: Checker.Margins
    private let waits: ProcessorWaits

    init(_ records: [HistoryRecord], margins: Checker.Margins, waits: ProcessorWaits) {
        self.margins = margins
        self.waits = waits
        var places: [Int: Int] = [:]
        for record in records {
            switch record.event {
            case .fault(let fault):
                places[fault.number] = all.count
                all.append(Fault(record: fault, start: record.time, end: .max))
            case .mended(let number):
                if let place = places[number] { all[place].end = record.time }
            default: break
            }
        }
    }

    /// The times in which a process was stopped.
    func stops(of pid: Int32) -> [Fault] {
        all.filter { fault in
            switch fault.record.kind {
            case .stopWorker, .stopPlugin, .stopHost, .hangWorker, .hangPlugin: fault.record.pids.contains(pid)
            default: false
            }
        }
    }

    /// How long a process was stopped within a period.
    func stopped(_ pid: Int32, from: UInt64, to: UInt64) -> UInt64 {
        stops(of: pid).reduce(0) { sum, stop in
            let (start, end) = (max(stop.start, from), min(stop.end, to))
            return sum + (start < end ? end - start : 0)
        }
    }

    /// The first moment after a time at which a scene's state must be on the host's disk, because no fault has delayed
    /// it for long enough.
    /// - Parameters:
    ///   - pid: the worker's process; `nil` when the host already has the state.
    ///   - machine: the worker's machine.
    func secured(from time: UInt64, pid: Int32?, machine: Int?) -> UInt64 {
        var start = time
        let relevant = all.filter { fault in
            fault.record.kind.delaysState
                && (fault.record.kind == .fullDisk || fault.record.concerns(pid, on: machine))
        }.sorted { $0.start < $1.start }
        for fault in relevant {
            let end = fault.end > .max - margins.aftermath ? .max : fault.end + margins.aftermath
            if fault.start < start + margins.checkpoint, end > start { start = end }
            if start == .max { return .max }
        }
        return waits.extended(start + margins.checkpoint, since: start)
    }
}
