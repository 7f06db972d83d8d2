import TestKit
import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct MachineSamplerTests {
    private let fixture: ProcFixture

    init() throws {
        fixture = try ProcFixture()
    }

    /// Takes two samples with a change of the files between them, and returns the second.
    private func second(
        after elapsed: Double = 2, top: Int = 20, change: (ProcFixture) throws -> Void = { _ in }
    ) throws -> MachineSample {
        var sampler = MachineSampler(topProcesses: top)
        _ = sampler.sample(fixture.reader.read(), at: 0)
        try change(fixture)
        return sampler.sample(fixture.reader.read(), at: elapsed)
    }

    private func interface(_ name: String, received: UInt64, sent: UInt64) -> String {
        "\(name): \(received) 1 2 3 4 5 6 7 \(sent) 9\n"
    }

    @Test func `A first sample has no rates and reports the missing figure`() {
        var sampler = MachineSampler()
        let sample = sampler.sample(fixture.reader.read(), at: 5)
        #expect(sample.cpu == nil)
        #expect(sample.missing == [MissingFigure(figure: "cpu", reason: "known from the next sample on")])
        #expect(sample.disks.map(\.readBytesPerSecond) == [nil])
        #expect(sample.networks.map(\.receivedBytesPerSecond) == [nil, nil])
        #expect(sample.processes.map(\.cpuFraction) == [nil, nil, nil])
        #expect(sample.memory?.fractionUsed == 0.6)
        #expect(
            sample.identity
                == MachineIdentity(
                    hostName: "machine-1", kernel: "6.1.0-18-amd64", bootTime: 1_700_000_000, uptime: 1000.5, cores: 2))
    }

    @Test func `Processor use is the busy part of the time between samples`() throws {
        let sample = try second {
            try $0.folder.write(
                "cpu  150 0 100 950\ncpu0 100 0 50 450\ncpu1 50 0 50 500\ncpu2 9 9 9 9\n", to: "stat")
        }
        #expect(sample.cpu == CPUUsage(total: 0.25, perCore: [0.5, 0, 0]))
        #expect(sample.missing == [])
    }

    @Test func `Processor counters that were reset give no figure once`() throws {
        var sampler = MachineSampler()
        let cores = ["cpu  100 0 0 100\n", "cpu  1 0 0 1\n", "cpu  4 0 0 2\n"]
        let totals = try cores.enumerated().map { second, text in
            try fixture.folder.write(text, to: "stat")
            return sampler.sample(fixture.reader.read(), at: Double(second)).cpu?.total
        }
        #expect(totals == [nil, nil, 0.75])
    }

    @Test func `Disks have sizes and bytes per second`() throws {
        let sample = try second {
            try $0.folder.write("254 0 vda 10 0 1010 5 20 0 2400 6 0 7 11\n", to: "diskstats")
        }
        let disk = try #require(sample.disks.first)
        #expect(
            disk
                == DiskUsage(
                    mountPoint: "/", device: "/dev/vda", fileSystem: "ext4", totalBytes: 1000, freeBytes: 300,
                    usedBytes: 600, readBytesPerSecond: 2560, writtenBytesPerSecond: 102_400))
        #expect(disk.fractionUsed == 600.0 / 900.0)
    }

    @Test func `A disk counter that went back gives no rate, and the other counter still does`() throws {
        let sample = try second {
            try $0.folder.write("254 0 vda 10 0 999 5 20 0 2004 6 0 7 11\n", to: "diskstats")
        }
        #expect(sample.disks.first?.readBytesPerSecond == nil)
        #expect(sample.disks.first?.writtenBytesPerSecond == 1024)
    }

    @Test func `Disks without counters have sizes only`() throws {
        let sample = try second { try $0.folder.write("", to: "diskstats") }
        #expect(sample.disks.map(\.totalBytes) == [1000])
        #expect(sample.disks.map(\.readBytesPerSecond) == [nil])
    }

    @Test func `Networks have bytes per second and are ordered by name`() throws {
        let sample = try second {
            try $0.folder.write(
                interface("wlan0", received: 5, sent: 5) + interface("lo", received: 3293, sent: 3193)
                    + interface("eth0", received: 1_004_000, sent: 19_999), to: "net/dev")
        }
        #expect(
            sample.networks == [
                NetworkUsage(
                    interface: "eth0", receivedBytesPerSecond: 2000, sentBytesPerSecond: nil,
                    receivedBytes: 1_004_000, sentBytes: 19_999),
                NetworkUsage(
                    interface: "lo", receivedBytesPerSecond: 50, sentBytesPerSecond: 0, receivedBytes: 3293,
                    sentBytes: 3193),
                NetworkUsage(
                    interface: "wlan0", receivedBytesPerSecond: nil, sentBytesPerSecond: nil, receivedBytes: 5,
                    sentBytes: 5),
            ])
    }

    @Test func `A rate is measured over the time since the sample before, not since the first one`() throws {
        var sampler = MachineSampler()
        let counters: [(UInt64, Double)] = [(0, 100), (8000, 102), (16_000, 104), (16_500, 104.5)]
        let rates = try counters.map { received, time in
            try fixture.folder.write(interface("lo", received: received, sent: 0), to: "net/dev")
            return sampler.sample(fixture.reader.read(), at: time).networks.first?.receivedBytesPerSecond
        }
        #expect(rates == [nil, 4000, 4000, 1000])
    }

    @Test(arguments: [0, -1] as [Double])
    func `Without elapsed time there are no rates`(elapsed: Double) throws {
        let sample = try second(after: elapsed) {
            try $0.folder.write("254 0 vda 10 0 9000 5 20 0 9000 6 0 7 11\n", to: "diskstats")
            try $0.process(40, "server", ticks: 90, residentPages: 1)
        }
        #expect(sample.disks.map(\.readBytesPerSecond) == [nil])
        #expect(sample.networks.map(\.sentBytesPerSecond) == [nil, nil])
        #expect(sample.processes.map(\.cpuFraction) == [nil, nil, nil])
    }

    @Test(
        arguments: [
            // Ticks before, ticks after, start time after, elapsed seconds; and the expected fraction of a core at 100
            // ticks a second.
            (50, 150, 77, 2, 0.5), (50, 50, 77, 2, 0), (50, 350, 77, 2, 1.5),
            // Limited to the two cores of the fixture.
            (50, 5050, 77, 2, 2), (50, 49, 77, 2, nil),
            // The process id was reused. If the new process started after the first sample, all of its time counts.
            (50, 60, 100_060, 2, 0.3), (50, 10, 100_050, 1, 0.1), (50, 60, 100_049, 2, nil),
        ] as [(Int, Int, Int, Int, Double?)])
    func `Process use is measured in fractions of one core`(
        before: Int, after: Int, start: Int, seconds: Int, fraction: Double?
    ) throws {
        try fixture.process(40, "server", ticks: before, residentPages: 1)
        var sampler = MachineSampler()
        var raw = fixture.reader.read()
        raw.ticksPerSecond = 100
        _ = sampler.sample(raw, at: 0)
        try fixture.process(40, "server", ticks: after, residentPages: 1, startTicks: start)
        raw = fixture.reader.read()
        raw.ticksPerSecond = 100
        let sample = sampler.sample(raw, at: Double(seconds))
        #expect(sample.processes.first { $0.pid == 40 }?.cpuFraction == fraction)
    }

    @Test func `Processes are ordered by processor time, then memory, then process ID`() throws {
        let sample = try second(top: 4) {
            try $0.process(1, "systemd", ticks: 100, residentPages: 10)
            try $0.process(40, "server", ticks: 51, residentPages: 300)
            try $0.process(50, "twin", ticks: 0, residentPages: 10, startTicks: 1)
            try $0.process(60, "small", ticks: 0, residentPages: 1, startTicks: 1)
        }
        #expect(sample.processes.map(\.pid) == [40, 1, 50, 60])
        #expect(sample.processCount == 5)
        let server = try #require(sample.processes.first)
        #expect(server.residentBytes == 300 * fixture.reader.read().pageBytes)
        #expect(server.threads == 3)
    }

    @Test func `Huge memory sizes are capped and do not crash`() {
        var raw = fixture.reader.read()
        raw.pageBytes = .max
        var sampler = MachineSampler(topProcesses: -1)
        #expect(sampler.sample(raw, at: 0).processes.isEmpty)
        sampler = MachineSampler(topProcesses: 1)
        #expect(sampler.sample(raw, at: 0).processes.first?.residentBytes == .max)
    }

    @Test func `A figure that was missing from the previous sample gives no rate and no crash`() throws {
        var sampler = MachineSampler()
        _ = sampler.sample(ProcReader(root: "/no/such/proc").read(), at: 0)
        let sample = sampler.sample(fixture.reader.read(), at: 1)
        #expect(sample.cpu == nil)
        #expect(sample.networks.map(\.receivedBytesPerSecond) == [nil, nil])
        #expect(sample.processes.map(\.cpuFraction) == [nil, nil, nil])
        let empty = sampler.sample(ProcReader(root: "/no/such/proc").read(), at: 2)
        #expect(empty.identity == MachineIdentity(hostName: nil, kernel: nil, bootTime: nil, uptime: nil, cores: nil))
        #expect(empty.missing.filter { $0.figure == "cpu" }.count == 1)
        #expect(empty.processCount == 0)
    }
}
