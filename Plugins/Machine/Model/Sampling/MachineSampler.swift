/// Computes usage from counters: keeps the previous sample and takes the difference to the next one.
public struct MachineSampler: Hashable, Sendable {
    /// The maximum number of processes in a sample.
    public let topProcesses: Int

    /// The counters, and when they were read.
    private struct Reading: Hashable {
        let raw: RawSample
        /// Seconds of the monotonic clock.
        let time: Double
    }

    private var previous: Reading?

    /// - Parameter topProcesses: The maximum number of processes in a sample.
    public init(topProcesses: Int = 20) {
        self.topProcesses = max(0, topProcesses)
    }

    /// Makes a sample, with rates over the time since the last call.
    ///
    /// Rates are nil in the first sample, when no time has elapsed, for anything that is new, and when a counter was
    /// reset, because a wrong figure would be worse than none.
    ///
    /// - Parameters:
    ///   - raw: The current counters.
    ///   - now: The time at which they were read, in seconds of a monotonic clock.
    public mutating func sample(_ raw: RawSample, at now: Double) -> MachineSample {
        defer { previous = Reading(raw: raw, time: now) }
        let interval = previous.flatMap { previous -> Interval? in
            let seconds = now - previous.time
            return seconds > 0 ? Interval(previous: previous.raw, current: raw, seconds: seconds) : nil
        }
        let cpu = Self.cpu(previous: previous?.raw, current: raw)
        var missing = raw.missing
        if cpu == nil, !missing.contains(where: { $0.figure == "cpu" }) {
            missing.append(MissingFigure(figure: "cpu", reason: "known from the next sample on"))
        }
        return MachineSample(
            identity: Self.identity(raw), cpu: cpu, memory: raw.memory, load: raw.load,
            disks: raw.disks.map { Self.disk($0, interval) },
            networks: raw.interfaces.sorted { $0.key < $1.key }.map { Self.network($0.key, $0.value, interval) },
            processes: Self.top(topProcesses, of: raw, interval), processCount: raw.processes.count, missing: missing)
    }

    /// Two consecutive samples and the time between them.
    private struct Interval {
        let previous: RawSample
        let disks: [DeviceNumber: DiskCounters]
        let processes: [Int32: RawProcess]
        let seconds: Double
        let processorSeconds: Double

        init(previous: RawSample, current: RawSample, seconds: Double) {
            self.previous = previous
            self.seconds = seconds
            processorSeconds = seconds * Double(max(1, current.statistics?.cores.count ?? 1))
            disks = Dictionary(
                previous.disks.compactMap { disk in disk.counters.map { (disk.mount.device, $0) } },
                uniquingKeysWith: { first, _ in first })
            processes = Dictionary(previous.processes.map { ($0.pid, $0) }, uniquingKeysWith: { first, _ in first })
        }

        func rate(from previous: UInt64?, to current: UInt64) -> Double? {
            guard let previous, current >= previous else { return nil }
            return Double(current - previous) / seconds
        }
    }

    private static func identity(_ raw: RawSample) -> MachineIdentity {
        let cores = raw.statistics?.cores.count ?? 0
        return MachineIdentity(
            hostName: raw.hostName, kernel: raw.kernel, bootTime: raw.statistics?.bootTime, uptime: raw.uptime,
            cores: cores == 0 ? nil : cores)
    }

    private static func cpu(previous: RawSample?, current: RawSample) -> CPUUsage? {
        guard let previous = previous?.statistics, let current = current.statistics,
            let before = previous.total, let total = current.total?.busyFraction(since: before)
        else { return nil }
        let perCore = current.cores.sorted { $0.key < $1.key }.map { core, times in
            previous.cores[core].flatMap { times.busyFraction(since: $0) } ?? 0
        }
        return CPUUsage(total: total, perCore: perCore)
    }

    private static func disk(_ disk: RawSample.Disk, _ interval: Interval?) -> DiskUsage {
        let before = interval?.disks[disk.mount.device]
        return DiskUsage(
            mountPoint: disk.mount.mountPoint, device: disk.mount.source, fileSystem: disk.mount.fileSystem,
            totalBytes: disk.capacity.totalBytes, freeBytes: disk.capacity.freeBytes,
            usedBytes: disk.capacity.usedBytes,
            readBytesPerSecond: disk.counters.flatMap { interval?.rate(from: before?.readBytes, to: $0.readBytes) },
            writtenBytesPerSecond: disk.counters.flatMap {
                interval?.rate(from: before?.writtenBytes, to: $0.writtenBytes)
            })
    }

    private static func network(
        _ name: String, _ counters: InterfaceCounters, _ interval: Interval?
    ) -> NetworkUsage {
        let before = interval?.previous.interfaces[name]
        return NetworkUsage(
            interface: name,
            receivedBytesPerSecond: interval?.rate(from: before?.receivedBytes, to: counters.receivedBytes),
            sentBytesPerSecond: interval?.rate(from: before?.sentBytes, to: counters.sentBytes),
            receivedBytes: counters.receivedBytes, sentBytes: counters.sentBytes)
    }

    private static func top(_ count: Int, of raw: RawSample, _ interval: Interval?) -> [ProcessUsage] {
        let processes = raw.processes.map { process in
            let (bytes, overflow) = process.residentPages.multipliedReportingOverflow(by: raw.pageBytes)
            return ProcessUsage(
                pid: process.pid, name: process.name, state: process.state,
                cpuFraction: interval.flatMap { cpuFraction(of: process, raw, $0) },
                residentBytes: overflow ? .max : bytes, threads: process.threads, userID: process.userID)
        }
        let ordered = processes.sorted { one, other in
            // Finally by the lowest id, so that equal processes keep their order from sample to sample.
            (one.cpuFraction ?? 0, one.residentBytes, -Int(one.pid))
                > (other.cpuFraction ?? 0, other.residentBytes, -Int(other.pid))
        }
        return Array(ordered.prefix(count))
    }

    private static func cpuFraction(of process: RawProcess, _ raw: RawSample, _ interval: Interval) -> Double? {
        let spent: UInt64
        if let before = interval.processes[process.pid], before.startTicks == process.startTicks {
            guard process.ticks >= before.ticks else { return nil }
            spent = process.ticks - before.ticks
        } else if let uptime = interval.previous.uptime, Double(process.startTicks) / raw.ticksPerSecond >= uptime {
            spent = process.ticks
        } else {
            // It ran before the previous sample but was not read then, so the period of its processor time is unknown.
            return nil
        }
        // A tick may be counted late. Without the limit, a process could use more time than all cores have.
        return min(Double(spent) / raw.ticksPerSecond, interval.processorSeconds) / interval.seconds
    }
}
