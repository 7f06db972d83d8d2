import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct MemoryUsageTests {
    private func parse(_ text: String) -> MemoryUsage? {
        MemoryUsage(parsing: Array(text.utf8))
    }

    @Test func `Memory and swap are parsed in bytes`() {
        let usage = parse(
            "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 250 kB\nSwapTotal: 200 kB\nSwapFree: 50 kB\n")
        #expect(usage?.totalBytes == 1_024_000)
        #expect(usage?.availableBytes == 256_000)
        #expect(usage?.usedBytes == 768_000)
        #expect(usage?.swapTotalBytes == 204_800)
        #expect(usage?.swapUsedBytes == 153_600)
        #expect(usage?.fractionUsed == 0.75)
    }

    @Test func `Available memory is estimated when the kernel does not report it`() {
        let usage = parse("MemTotal: 1000 kB\nMemFree: 100 kB\nBuffers: 50 kB\nCached: 350 kB\n")
        #expect(usage?.fractionUsed == 0.5)
        #expect(usage?.swapTotalBytes == 0)
        #expect(usage?.swapUsedBytes == 0)
    }

    @Test(arguments: [
        "", "MemTotal: 1000 kB\n", "MemAvailable: 10 kB\n", "MemTotal: 0 kB\nMemAvailable: 0 kB\n",
        "MemTotal: x kB\nMemAvailable: 10 kB\n", "MemTotal: -5 kB\nMemAvailable: 10 kB\n",
        "MemTotal: 18446744073709551615 kB\nMemAvailable: 10 kB\n", "MemTotal 1000 kB\nMemAvailable 10 kB\n",
        "MemTotal: 1000 kB\nMemAvailable: 10 kB", "MemTotal:\nMemAvailable:\n",
    ])
    func `Without total or available memory there is no figure`(text: String) {
        #expect(parse(text) == nil)
    }

    @Test(
        arguments: [
            ("MemTotal: 10 kB\nMemAvailable: 20 kB\n", 0.0, 0),
            ("MemTotal: 10 kB\nMemAvailable: 5 kB\nSwapTotal: 1 kB\nSwapFree: 2 kB\n", 0.5, 0),
            ("MemTotal: 10 kB\nMemFree: 18014398509481983 kB\nCached: 18014398509481983 kB\n", 0.0, 0),
        ] as [(String, Double, UInt64)])
    func `Contradictory values are clamped`(text: String, fraction: Double, swapUsed: UInt64) {
        #expect(parse(text)?.fractionUsed == fraction)
        #expect(parse(text)?.swapUsedBytes == swapUsed)
    }

    @Test func `Lines with names that aren't UTF-8 are ignored`() {
        let bytes = [0xff, 0x3a, 0x20, 0x31, 0x0a] + Array("MemTotal: 10 kB\nMemAvailable: 5 kB\n".utf8)
        #expect(MemoryUsage(parsing: bytes)?.fractionUsed == 0.5)
    }
}
