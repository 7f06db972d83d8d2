import Glibc

/// Reads the state of this machine from `/proc`.
///
/// Reading never fails as a whole: a figure that can't be read, for instance in a container, is listed as missing in
/// the sample, with the reason. Reading blocks, for some milliseconds with hundreds of processes, so call it off the
/// main
/// actor.
public struct ProcReader: Sendable {
    /// The maximum number of processes that are read. If there are more, those with the lowest ids are read.
    public static let maximumProcesses = 8192

    static let maximumFileBytes = 1 << 20

    private let root: String
    private let capacity: @Sendable (String) throws -> FileSystemCapacity?

    /// - Parameter root: The mount point of the proc file system.
    public init(root: String = "/proc") {
        self.init(root: root) { try FileSystemCapacity(mountPoint: $0) }
    }

    init(root: String, capacity: @escaping @Sendable (String) throws -> FileSystemCapacity?) {
        self.root = root
        self.capacity = capacity
    }

    /// Reads a sample.
    public func read() -> RawSample {
        var sample = RawSample()
        sample.ticksPerSecond = Double(max(1, sysconf(CInt(_SC_CLK_TCK))))
        sample.pageBytes = UInt64(max(1, sysconf(CInt(_SC_PAGESIZE))))
        do {
            let folder = try ProcDirectory(path: root)
            readIdentity(folder, into: &sample)
            readFigures(folder, into: &sample)
            readDisks(folder, into: &sample)
            readProcesses(folder, into: &sample)
        } catch {
            for figure in ["identity", "cpu", "memory", "load", "disks", "disk-traffic", "networks", "processes"] {
                sample.missing.append(MissingFigure(figure: figure, reason: "\(error)"))
            }
        }
        return sample
    }

    private func readIdentity(_ folder: borrowing ProcDirectory, into sample: inout RawSample) {
        sample.hostName = parse("sys/kernel/hostname", as: "identity", in: folder, &sample, Self.name)
        sample.kernel = parse("sys/kernel/osrelease", as: "identity", in: folder, &sample, Self.name)
        sample.uptime = parse("uptime", as: "identity", in: folder, &sample) { bytes in
            ProcText.completeLines(of: bytes).first.flatMap { ProcText.fields(of: $0).first }
                .flatMap { ProcText.decimal($0) }
        }
    }

    private func readFigures(_ folder: borrowing ProcDirectory, into sample: inout RawSample) {
        sample.statistics = parse("stat", as: "cpu", in: folder, &sample) { bytes in
            let statistics = KernelStatistics(parsing: bytes)
            return statistics.total == nil ? nil : statistics
        }
        sample.memory = parse("meminfo", as: "memory", in: folder, &sample, MemoryUsage.init(parsing:))
        sample.load = parse("loadavg", as: "load", in: folder, &sample, LoadAverage.init(parsing:))
        sample.interfaces = parse("net/dev", as: "networks", in: folder, &sample, InterfaceCounters.all) ?? [:]
    }

    private func readDisks(_ folder: borrowing ProcDirectory, into sample: inout RawSample) {
        guard let devices = parse("self/mountinfo", as: "disks", in: folder, &sample, Mount.disks) else { return }
        let counters = parse("diskstats", as: "disk-traffic", in: folder, &sample, DiskCounters.all) ?? [:]
        for mounts in devices {
            for mount in mounts {
                do {
                    // A mount without a size is a single file, as in containers. Try the next mount of the device.
                    guard let capacity = try capacity(mount.mountPoint) else { continue }
                    let traffic = Self.traffic(of: mount, in: counters)
                    sample.disks.append(RawSample.Disk(mount: mount, capacity: capacity, counters: traffic))
                } catch {
                    sample.missing.append(MissingFigure(figure: "disk:\(mount.mountPoint)", reason: "\(error)"))
                }
                break
            }
        }
        sample.disks.sort { $0.mount.mountPoint < $1.mount.mountPoint }
    }

    private static func traffic(of mount: Mount, in counters: [DeviceNumber: DiskCounters]) -> DiskCounters? {
        // btrfs has its own number, so its device is found by name.
        counters[mount.device]
            ?? counters.values.first { mount.device.major == 0 && mount.source == "/dev/\($0.name)" }
    }

    private func readProcesses(_ folder: borrowing ProcDirectory, into sample: inout RawSample) {
        let ids: [Int32]
        do {
            ids = try folder.processIDs()
        } catch {
            sample.missing.append(MissingFigure(figure: "processes", reason: "\(error)"))
            return
        }
        if ids.count > Self.maximumProcesses {
            let reason = "\(folder.path): only \(Self.maximumProcesses) of \(ids.count) processes were read"
            sample.missing.append(MissingFigure(figure: "processes", reason: reason))
        }
        sample.processes = ids.prefix(Self.maximumProcesses).compactMap { id in
            // A process that ends while it is read is left out, as if it had ended before.
            guard let process = try? ProcDirectory("\(id)", in: folder),
                let stat = try? process.contents(of: "stat", limit: 4096),
                var raw = RawProcess(pid: id, stat: stat)
            else { return nil }
            raw.userID = (try? process.contents(of: "status", limit: 4096)).flatMap(RawProcess.userID)
            return raw
        }
    }

    private func parse<Value>(
        _ name: String, as figure: String, in folder: borrowing ProcDirectory, _ sample: inout RawSample,
        _ parser: ([UInt8]) -> Value?
    ) -> Value? {
        do {
            let bytes = try folder.contents(of: name, limit: Self.maximumFileBytes)
            if let value = parser(bytes) { return value }
            throw ProcFileError(path: "\(folder.path)/\(name)", content: "not in the kernel's format")
        } catch {
            sample.missing.append(MissingFigure(figure: figure, reason: "\(error)"))
            return nil
        }
    }

    private static func name(_ bytes: [UInt8]) -> String? {
        let name = ProcText.printable(bytes.prefix { $0 != UInt8(ascii: "\n") }, maximumBytes: 255)
        return name.isEmpty ? nil : name
    }
}
