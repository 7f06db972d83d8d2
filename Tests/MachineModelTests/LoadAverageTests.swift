import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct LoadAverageTests {
    @Test func `Load averages and thread counts are parsed`() {
        let load = LoadAverage(parsing: Array("0.50 1.25 20.00 3/456 7890\n".utf8))
        #expect(
            load
                == LoadAverage(
                    oneMinute: 0.5, fiveMinutes: 1.25, fifteenMinutes: 20, runningThreads: 3, totalThreads: 456))
    }

    @Test(arguments: [
        "", "\n", "0.50 1.25 20.00 3/456 7890", "0.50 1.25\n", "0.50 1.25 20.00 3\n", "x 1.25 20.00 3/456 1\n",
        "nan 1.25 20.00 3/456 1\n", "0.5 inf 20.00 3/456 1\n", "-1 1.25 20.00 3/456 1\n", "0.5 1.25 20.00 3/ 1\n",
        "0.5 1.25 20.00 3/4/5 1\n", "0.5 1.25 20.00 3/99999999999999999999 1\n",
    ])
    func `Malformed text gives no load average`(text: String) {
        #expect(LoadAverage(parsing: Array(text.utf8)) == nil)
    }
}
