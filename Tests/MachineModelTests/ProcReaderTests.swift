import TestKit
import FoundationEssentials
import Glibc
import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct ProcReaderTests {
    private let fixture: ProcFixture

    init() throws {
        fixture = try ProcFixture()
    }

    private func figures(_ sample: RawSample) -> Set<String> {
        Set(sample.missing.map(\.figure))
    }

    @Test func `All figures of a complete folder are read`() {
        let sample = fixture.reader.read()
        #expect(sample.missing == [])
        #expect(sample.hostName == "machine-1")
        #expect(sample.kernel == "6.1.0-18-amd64")
        #expect(sample.uptime == 1000.5)
        #expect(sample.statistics?.bootTime == 1_700_000_000)
        #expect(sample.statistics?.cores.count == 2)
        #expect(sample.memory?.fractionUsed == 0.6)
        #expect(sample.load?.totalThreads == 456)
        #expect(sample.interfaces["eth0"] == InterfaceCounters(receivedBytes: 1_000_000, sentBytes: 20000))
        #expect(sample.disks.map(\.mount.mountPoint) == ["/"])
        #expect(sample.disks.first?.counters?.writtenBytes == 1_024_000)
        #expect(sample.processes.map(\.pid) == [1, 2, 40])
        #expect(sample.processes.map(\.name) == ["systemd", "kthreadd", "a (b) c"])
        #expect(sample.processes.map(\.userID) == [0, 0, 1000])
    }

    @Test(arguments: [
        ("sys/kernel/hostname", "identity"), ("sys/kernel/osrelease", "identity"), ("uptime", "identity"),
        ("stat", "cpu"), ("meminfo", "memory"), ("loadavg", "load"), ("self/mountinfo", "disks"),
        ("diskstats", "disk-traffic"), ("net/dev", "networks"),
    ])
    func `A missing or malformed file affects only its own figure`(file: String, figure: String) throws {
        let whole = fixture.reader.read()
        try fixture.folder.remove(file)
        let missing = fixture.reader.read()
        #expect(
            missing.missing == [
                MissingFigure(figure: figure, reason: "\(fixture.folder.path)/\(file): No such file or directory")
            ])
        #expect(missing.processes == whole.processes)
        #expect((missing.memory == nil) == (figure == "memory"))
        #expect((missing.load == nil) == (figure == "load"))
        #expect((missing.statistics == nil) == (figure == "cpu"))
        #expect(missing.disks.isEmpty == (figure == "disks"))
        #expect(missing.disks.first?.counters == nil || figure != "disk-traffic")
        #expect(missing.interfaces.isEmpty == (figure == "networks"))
        if !file.hasPrefix("sys/") {
            try fixture.folder.write([0xff, 0x00, 0x0a, 0x20, 0x0a], to: file)
            let broken = fixture.reader.read()
            #expect(
                broken.missing == [
                    MissingFigure(
                        figure: figure, reason: "\(fixture.folder.path)/\(file): not in the kernel's format")
                ])
        }
    }

    @Test func `Without the folder every figure is missing`() {
        let sample = ProcReader(root: "/no/such/proc").read()
        #expect(
            figures(sample) == [
                "identity", "cpu", "memory", "load", "disks", "disk-traffic", "networks", "processes",
            ])
        #expect(sample.missing.allSatisfy { $0.reason == "/no/such/proc: No such file or directory" })
        #expect(sample.processes.isEmpty)
    }

    @Test func `A pipe in the place of a file doesn't block`() throws {
        try fixture.folder.remove("meminfo")
        #expect(mkfifo("\(fixture.folder.path)/meminfo", 0o600) == 0)
        #expect(figures(fixture.reader.read()) == ["memory"])
    }

    @Test func `A process's arguments, which may contain passwords, are in no sample`() throws {
        try fixture.process(
            77, "mysql", ticks: 9000, residentPages: 10, commandLine: "mysql\0--password=hunter2\0", user: 1000)
        var sampler = MachineSampler()
        _ = sampler.sample(fixture.reader.read(), at: 0)
        let sample = sampler.sample(fixture.reader.read(), at: 1)
        let process = try #require(sample.processes.first { $0.pid == 77 })
        #expect(process.name == "mysql")
        let published = String(decoding: try JSONEncoder().encode(sample), as: UTF8.self)
        #expect(!published.contains("hunter2"))
        #expect(!published.contains("--port"))
        var dumped = ""
        dump(fixture.reader.read(), to: &dumped)
        #expect(!dumped.contains("hunter2"))
    }

    @Test func `A process without a readable stat file is left out, and one without a status file is kept`() throws {
        try fixture.folder.remove("1/stat")
        try fixture.folder.remove("40/status")
        try fixture.folder.write("50 (cut", to: "50/stat")
        try fixture.folder.write("", to: "51/stat")
        let sample = fixture.reader.read()
        #expect(sample.missing == [])
        #expect(sample.processes.map(\.pid) == [2, 40])
        #expect(sample.processes.map(\.userID) == [0, nil])
    }

    @Test func `Folders whose names are not process IDs are skipped`() throws {
        for name in ["0", "-1", "+5", "99999999999", "1e3", "self"] {
            try fixture.folder.write("5 (x) S 1 1 1 0 -1 4 9 0 0 0 1 0 5 5 20 0 3 0 1 3 1 1\n", to: "\(name)/stat")
        }
        #expect(fixture.reader.read().processes.map(\.pid) == [1, 2, 40])
    }

    @Test func `A process that has ended can't be read through a folder opened before`() async throws {
        let root = try ProcDirectory(path: "/proc")
        let process = try await WaitingProcess()
        let folder = try ProcDirectory("\(process.pid)", in: root)
        let stat = try folder.contents(of: "stat", limit: 4096)
        #expect(RawProcess(pid: process.pid, stat: stat)?.pid == process.pid)
        try await process.end()
        var failure: ProcFileError?
        do {
            _ = try folder.contents(of: "stat", limit: 4096)
        } catch {
            failure = error
        }
        #expect(failure != nil)
    }

    @Test func `The size of files and the number of processes are bounded`() throws {
        let line = "padding\n"
        try fixture.folder.write(
            String(repeating: line, count: ProcReader.maximumFileBytes / line.utf8.count + 1)
                + "MemTotal: 10 kB\nMemAvailable: 5 kB\n", to: "meminfo")
        #expect(figures(fixture.reader.read()) == ["memory"])
        for pid in 100..<(100 + ProcReader.maximumProcesses) { try fixture.folder.write("", to: "\(pid)/stat") }
        let sample = fixture.reader.read()
        #expect(sample.processes.map(\.pid) == [1, 2, 40])
        #expect(
            sample.missing.last?.reason
                == "\(fixture.folder.path): only 8192 of 8195 processes were read")
    }

    @Test func `A disk that can't be queried is reported as missing, and the others are read`() throws {
        try fixture.folder.write(
            """
            1 0 8:1 / / rw - ext4 /dev/sda1 rw
            2 0 8:2 / /gone rw - ext4 /dev/sda2 rw
            3 0 8:3 / /data rw - ext4 /dev/sda3 rw

            """, to: "self/mountinfo")
        let reader = ProcReader(root: fixture.folder.path) { mountPoint in
            if mountPoint == "/gone" { throw ProcFileError(path: mountPoint, code: EIO) }
            return FileSystemCapacity(totalBytes: 10, usedBytes: 5, freeBytes: 5)
        }
        let sample = reader.read()
        #expect(sample.disks.map(\.mount.mountPoint) == ["/", "/data"])
        #expect(sample.missing == [MissingFigure(figure: "disk:/gone", reason: "/gone: Input/output error")])
    }

    @Test func `Single files that a container has mounted are not listed as disks`() throws {
        try fixture.folder.write(
            """
            1 0 8:1 /c/hosts /etc/hosts rw - ext4 /dev/sda1 rw
            2 0 8:1 /srv/data /var/lib/data rw - ext4 /dev/sda1 rw
            3 0 8:2 /c/resolv /etc/resolv.conf rw - ext4 /dev/sda2 rw
            4 0 8:3 / /mnt rw - ext4 /dev/sda3 rw

            """, to: "self/mountinfo")
        let reader = ProcReader(root: fixture.folder.path) { mountPoint in
            mountPoint.hasPrefix("/etc/") ? nil : FileSystemCapacity(totalBytes: 10, usedBytes: 5, freeBytes: 5)
        }
        let sample = reader.read()
        #expect(sample.disks.map(\.mount.mountPoint) == ["/mnt", "/var/lib/data"])
        #expect(sample.missing == [])
    }

    @Test func `A file system with its own device number finds its device by name`() throws {
        try fixture.folder.write("1 0 0:50 / / rw - btrfs /dev/vda rw\n", to: "self/mountinfo")
        #expect(fixture.reader.read().disks.first?.counters?.name == "vda")
    }

    @Test func `The real figures of this machine are in plausible ranges`() throws {
        let reader = ProcReader()
        var sampler = MachineSampler(topProcesses: .max)
        let clock = ContinuousClock()
        let start = clock.now
        let first = sampler.sample(reader.read(), at: 0)
        #expect(first.cpu == nil)
        try workFor(seconds: 0.2)
        let sample = sampler.sample(reader.read(), at: (clock.now - start) / .seconds(1))
        let allowed: Set<String> = ["disks", "disk-traffic"]
        #expect(Set(sample.missing.map(\.figure)).subtracting(allowed).isEmpty)

        let cores = try #require(sample.identity.cores)
        #expect(cores == sysconf(CInt(_SC_NPROCESSORS_ONLN)))
        let cpu = try #require(sample.cpu)
        #expect(cpu.total > 0 && cpu.total <= 1)
        #expect(cpu.perCore.count == cores)
        #expect(cpu.perCore.allSatisfy { (0...1).contains($0) })
        let memory = try #require(sample.memory)
        #expect(memory.totalBytes > 64 << 20)
        #expect(memory.fractionUsed > 0 && memory.fractionUsed < 1)
        let load = try #require(sample.load)
        #expect(load.totalThreads >= 1 && load.oneMinute < 10_000)
        #expect(sample.identity.hostName?.isEmpty == false)
        #expect(sample.identity.kernel?.contains(".") == true)
        let (boot, uptime) = (try #require(sample.identity.bootTime), try #require(sample.identity.uptime))
        #expect(abs(boot + uptime - Double(time(nil))) < 60)

        #expect(Set(sample.disks.map(\.mountPoint)).count == sample.disks.count)
        #expect(sample.disks.allSatisfy { (0...1).contains($0.fractionUsed) && $0.totalBytes > 0 })
        #expect(sample.disks.allSatisfy { $0.fileSystem != "proc" && $0.fileSystem != "tmpfs" })
        #expect(sample.networks.contains { $0.interface == "lo" })
        let own = try #require(sample.processes.first { $0.pid == getpid() })
        #expect(own.userID == geteuid())
        #expect(own.residentBytes > 1 << 20)
        #expect(own.threads >= 1)
        #expect(!own.name.isEmpty)
        let fraction = try #require(own.cpuFraction)
        #expect(fraction > 0 && fraction <= Double(cores))
        #expect(sample.processCount == sample.processes.count)
    }

    /// Keeps a processor busy until this thread has used that much CPU time.
    private func workFor(seconds: Double) throws {
        func worked() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let end = worked() + seconds
        while worked() < end {}
    }
}
