import Testing

@testable import AccountsModel

@Suite(.timeLimit(.minutes(5)))
struct LoginThrottleTests {
    private func refusal(_ throttle: inout LoginThrottle, _ user: String = "anna", at now: Double) -> Int? {
        do throws(AccountsError) {
            try throttle.begin(user, at: now)
            return nil
        } catch {
            guard case .throttled(let seconds) = error.code else { return -1 }
            return seconds
        }
    }

    @Test(
        arguments: [
            // Failed attempts at these seconds, the second of the next attempt, and for how many seconds that is
            // refused.
            (tries: [0, 0, 0, 0], last: 0, seconds: nil),
            (tries: [0, 0, 0, 0, 0], last: 0, seconds: 15),
            (tries: [0, 1, 2, 3, 4], last: 4, seconds: 15),
            (tries: [0, 1, 2, 3, 4], last: 4.5, seconds: 15),
            (tries: [0, 1, 2, 3, 4], last: 18.9, seconds: 1),
            (tries: [0, 1, 2, 3, 4], last: 19, seconds: nil),
            (tries: [0, 14, 28, 42, 59], last: 60, seconds: 14),
            (tries: [0, 15, 30, 45, 60], last: 61, seconds: nil),
            (tries: [0, 15, 30, 45, 60, 75, 90, 105, 120], last: 121, seconds: nil),
        ] as [(tries: [Double], last: Double, seconds: Int?)])
    func `A login is refused after five failures within a minute`(tries: [Double], last: Double, seconds: Int?) {
        var throttle = LoginThrottle()
        for time in tries { #expect(refusal(&throttle, at: time) == nil) }
        #expect(refusal(&throttle, at: last) == seconds)
    }

    @Test func `Each further failure doubles the delay, up to five minutes`() {
        var throttle = LoginThrottle()
        var now = 1000.0
        for _ in 0..<4 { #expect(refusal(&throttle, at: now) == nil) }
        for expected in [15, 30, 60, 120, 240, 300, 300, 300] {
            #expect(refusal(&throttle, at: now) == nil)
            #expect(refusal(&throttle, at: now) == expected)
            #expect(refusal(&throttle, at: now + Double(expected) - 0.001) == 1)
            now += Double(expected)
        }
    }

    @Test func `Many failures neither overflow nor delay for more than five minutes`() {
        var throttle = LoginThrottle()
        var now = 0.0
        for _ in 0..<5000 {
            let seconds = refusal(&throttle, at: now) ?? 0
            #expect(seconds <= 300)
            now += Double(seconds)
        }
    }

    @Test func `A refused attempt doesn't extend the delay`() {
        var throttle = LoginThrottle()
        for _ in 0..<5 { #expect(refusal(&throttle, at: 0) == nil) }
        for second in 0..<15 { #expect(refusal(&throttle, at: Double(second)) == 15 - second) }
        #expect(refusal(&throttle, at: 15) == nil)
    }

    @Test func `A thousand simultaneous guesses get only five attempts`() {
        var throttle = LoginThrottle()
        let admitted = (0..<1000).count { _ in refusal(&throttle, at: 7) == nil }
        #expect(admitted == 5)
    }

    @Test func `A successful login clears the failures`() {
        var throttle = LoginThrottle()
        for _ in 0..<20 {
            for _ in 0..<5 { #expect(refusal(&throttle, at: 0) == nil) }
            throttle.succeeded("anna")
        }
        #expect(throttle.trackedNames.isEmpty)
    }

    @Test func `Failures are forgotten after more than ten quiet minutes`() {
        for (quiet, next) in [(600.0, 30), (600.1, nil)] as [(Double, Int?)] {
            var throttle = LoginThrottle()
            for _ in 0..<5 { #expect(refusal(&throttle, at: 0) == nil) }
            #expect(refusal(&throttle, at: quiet) == nil)
            #expect(refusal(&throttle, at: quiet) == next)
        }
    }

    @Test func `Failures of one user don't delay another`() {
        var throttle = LoginThrottle()
        for _ in 0..<6 { _ = refusal(&throttle, "anna", at: 0) }
        #expect(refusal(&throttle, "anna", at: 0) == 15)
        #expect(refusal(&throttle, "bob", at: 0) == nil)
    }

    @Test func `A clock that is set back delays a user for at most five minutes`() {
        var throttle = LoginThrottle()
        for _ in 0..<5 { #expect(refusal(&throttle, at: 1e9) == nil) }
        #expect(refusal(&throttle, at: 10) == 300)
        #expect(refusal(&throttle, at: 310) == nil)
    }

    @Test func `The number of tracked names is bounded, and names with many failures are kept`() {
        var throttle = LoginThrottle(capacity: 10)
        for _ in 0..<5 { #expect(refusal(&throttle, "guessed", at: 0) == nil) }
        for number in 0..<1000 {
            #expect(refusal(&throttle, "stranger\(number)", at: 1 + Double(number) / 1000) == nil)
        }
        #expect(throttle.trackedNames.count == 10)
        #expect(throttle.trackedNames.contains("stranger999"))
        #expect(!throttle.trackedNames.contains("stranger990"))
        #expect(refusal(&throttle, "guessed", at: 2) == 13)
    }

    @Test func `The throttle works with a capacity of one name`() {
        var throttle = LoginThrottle(capacity: 1)
        for _ in 0..<5 { #expect(refusal(&throttle, "anna", at: 0) == nil) }
        #expect(refusal(&throttle, "anna", at: 0) == 15)
        #expect(refusal(&throttle, "bob", at: 0) == nil)
        #expect(throttle.trackedNames == ["bob"])
    }

    @Test func `Invalid names share one entry`() {
        var throttle = LoginThrottle()
        for number in 0..<5 {
            #expect(refusal(&throttle, String(repeating: "x", count: 1000 + number), at: 0) == nil)
        }
        #expect(refusal(&throttle, "no such name", at: 0) == 15)
        #expect(throttle.trackedNames == [""])
    }
}
