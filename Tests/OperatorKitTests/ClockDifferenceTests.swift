import OperatorKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ClockDifferenceTests {
    @Test("Clocks agree within some seconds, and within what a slow reply leaves open")
    func fine() {
        #expect(ClockDifference(host: 1000, asked: 1004, answered: 1004.5).isFine)
        #expect(ClockDifference(host: 1000, asked: 1000, answered: 1020).isFine)
        #expect(!ClockDifference(host: 1000, asked: 1060, answered: 1061).isFine)
        #expect(!ClockDifference(host: 1000, asked: 900, answered: 901).isFine)
    }

    @Test("A difference is said with its direction and the way out")
    func words() {
        let ahead = ClockDifference(host: 1000, asked: 1059, answered: 1061).description
        #expect(ahead.contains("60 s ahead of the host's"))
        #expect(ahead.contains("timedatectl"))
        let behind = ClockDifference(host: 1000, asked: 899, answered: 901).description
        #expect(behind.contains("100 s behind the host's"))
    }

    @Test("Any number that a host says is endured", arguments: [Double.infinity, -.infinity, .nan, 1e300])
    func anyNumber(host: Double) {
        let difference = ClockDifference(host: host, asked: 1000, answered: 1001)
        #expect(!difference.isFine)
        #expect(difference.description.contains("years"))
    }
}
