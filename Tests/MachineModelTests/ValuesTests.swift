import FoundationEssentials
import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct ValuesTests {
    @Test func `A sample is equal after encoding and decoding`() throws {
        let fixture = try ProcFixture()
        var sampler = MachineSampler()
        let first = sampler.sample(fixture.reader.read(), at: 0)
        let second = sampler.sample(fixture.reader.read(), at: 1)
        for sample in [first, second] {
            let decoded = try JSONDecoder().decode(MachineSample.self, from: JSONEncoder().encode(sample))
            #expect(decoded == sample)
        }
    }

    @Test func `Events are equal after encoding and decoding`() throws {
        let alert = Alert(
            id: "disk:/", level: .error, title: "t", detail: "d", value: 0.99, threshold: 0.9, raisedAt: 5,
            acknowledgedBy: "anna", acknowledgedAt: 6)
        let events: [AlertEvent] = [.raised(alert), .changedLevel(alert, from: .warning), .cleared(alert)]
        let decoded = try JSONDecoder().decode([AlertEvent].self, from: JSONEncoder().encode(events))
        #expect(decoded == events)
    }

    @Test(
        arguments: [
            (0, 0, 0), (0, 10, 0), (50, 50, 0.5), (90, 0, 1), (.max, .max, 0.5),
        ] as [(UInt64, UInt64, Double)])
    func `The used fraction of a disk excludes the reserve`(used: UInt64, free: UInt64, fraction: Double) {
        let disk = DiskUsage(
            mountPoint: "/", device: "x", fileSystem: "ext4", totalBytes: 100, freeBytes: free, usedBytes: used,
            readBytesPerSecond: nil, writtenBytesPerSecond: nil)
        #expect(disk.fractionUsed == fraction)
    }
}
