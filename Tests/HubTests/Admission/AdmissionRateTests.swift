import Bus
@testable import Hub
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AdmissionRateTests {
    private let start = MonotonicInstant.now

    /// Returns how many of many simultaneous requests are admitted.
    private func taken(_ rate: inout AdmissionRate, after seconds: Double, of many: Int = 1000) -> Int {
        (0..<many).count { _ in rate.take(at: start + .seconds(seconds)) }
    }

    @Test func `Only one burst is admitted at once`() {
        var rate = AdmissionRate(burst: 20, rate: 100)
        #expect(taken(&rate, after: 0) == 20)
        #expect(taken(&rate, after: 0) == 0)
    }

    @Test func `Over time, admissions are allowed at the configured rate`() {
        var rate = AdmissionRate(burst: 20, rate: 100)
        _ = taken(&rate, after: 0)
        #expect(taken(&rate, after: 0.105) == 10)
        #expect(taken(&rate, after: 0.205) == 10)
        #expect(taken(&rate, after: 0.209) == 0)
        #expect(taken(&rate, after: 0.211) == 1)
    }

    @Test func `A long quiet time saves up one burst and no more`() {
        var rate = AdmissionRate(burst: 20, rate: 100)
        _ = taken(&rate, after: 0)
        #expect(taken(&rate, after: 3600) == 20)
    }

    @Test func `A steady stream below the rate is never refused`() {
        var rate = AdmissionRate(burst: 1, rate: 100)
        for number in 0..<500 { #expect(taken(&rate, after: Double(number) / 90, of: 1) == 1) }
    }

    @Test func `Peers that are refused at once get turns at the rate, and are admitted then`() {
        var rate = AdmissionRate(burst: 20, rate: 100)
        #expect(taken(&rate, after: 0, of: 20) == 20)
        let waits = (0..<300).map { _ in rate.wait(at: start, atMost: .seconds(5)) }
        #expect(waits.first == .milliseconds(10))
        #expect(waits.last == .seconds(3))
        // Each comes a little late.
        let admitted = waits.count { rate.take(at: start + $0 + .microseconds(100)) }
        #expect(admitted == 300)
    }

    @Test func `No wait is longer than the limit, and after a quiet time it is short again`() {
        var rate = AdmissionRate(burst: 1, rate: 100)
        let waits = (0..<1000).map { _ in rate.wait(at: start, atMost: .seconds(2)) }
        #expect(waits.max() == .seconds(2))
        #expect(waits.last == .seconds(2))
        let later = rate.wait(at: start + .seconds(60), atMost: .seconds(2))
        #expect(later == .milliseconds(10))
    }

    @Test func `A peer with a lower limit does not bring the turns of the others forward`() {
        var rate = AdmissionRate(burst: 1, rate: 100)
        let waits = (0..<100).map { _ in rate.wait(at: start, atMost: .seconds(2)) }
        #expect(waits.last == .seconds(1))
        let impatient = rate.wait(at: start, atMost: .milliseconds(500))
        let next = rate.wait(at: start, atMost: .seconds(2))
        #expect(impatient == .milliseconds(500))
        #expect(next == .milliseconds(1010))
    }

    @Test func `A time that goes back takes no admissions away`() {
        var rate = AdmissionRate(burst: 20, rate: 100)
        #expect(taken(&rate, after: 10, of: 15) == 15)
        #expect(taken(&rate, after: 5, of: 10) == 5)
        #expect(taken(&rate, after: 10.105) == 10)
    }
}
