import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct KernelStatisticsTests {
    private func parse(_ text: String) -> KernelStatistics {
        KernelStatistics(parsing: Array(text.utf8))
    }

    @Test func `The total, the cores and the boot time are parsed`() {
        let statistics = parse("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 1 1 1\ncpu3 2 2 2 2 2\nbtime 1700000000\nintr 5\n")
        #expect(statistics.total?.ticks == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(statistics.cores.mapValues(\.ticks) == [0: [1, 1, 1, 1, 0, 0, 0, 0], 3: [2, 2, 2, 2, 2, 0, 0, 0]])
        #expect(statistics.bootTime == 1_700_000_000)
    }

    @Test(arguments: [
        "", "\n\n", "cpu", "cpu\n", "cpu  1 2 3\n", "cpu  1 2 3 4", "cpu  1 x 3 4\n", "cpu  1 -2 3 4\n",
        "cpu  1 2 3 99999999999999999999\n", "cpux 1 2 3 4\n", "cpu99999999999999999999 1 2 3 4\n", "\0\0\n",
        "btime\n", "btime x\n",
    ])
    func `Malformed lines are skipped`(text: String) {
        let statistics = parse(text)
        #expect(statistics.total == nil)
        #expect(statistics.cores.isEmpty)
        #expect(statistics.bootTime == nil)
    }

    @Test func `A malformed line of one core does not affect the others`() {
        let statistics = parse("cpu  1 2 3 4\ncpu0 1 2\ncpu1 1 2 3 4\ncpu2 1 2 3 4 cut")
        #expect(statistics.total != nil)
        #expect(statistics.cores.keys.sorted() == [1])
    }
}
