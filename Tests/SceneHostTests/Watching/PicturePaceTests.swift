import Bus
import Testing
import ZeroMQ

@testable import SceneHost

/// How soon a scene's worker is asked again.
@Suite(.timeLimit(.minutes(5)))
struct PicturePaceTests {
    private let start = MonotonicInstant.now

    @Test("Pictures of a worker, and those of actions between them, are asked for at once, also for many watchers")
    func usual() {
        var pace = PicturePace()
        // A meter changes 20 times a second, and ten people click once a second.
        let times = (0..<600).map { 0.05 * Double($0) } + (0..<300).map { 0.1 * Double($0) + 0.02 }
        for time in times.sorted() {
            let now = start + .seconds(time)
            #expect(pace.took(.milliseconds(1), answers: 50, at: now) <= now)
        }
    }

    @Test("A burst of actions is shown at once")
    func burst() {
        var pace = PicturePace()
        for number in 0..<1000 {
            let now = start + Duration.microseconds(500) * number
            #expect(pace.took(.microseconds(200), answers: 1, at: now) <= now)
        }
    }

    @Test(
        "A worker that answers each question at once takes no more than its part of the time, however much an answer takes",
        arguments: [.zero, .milliseconds(1), .milliseconds(30)] as [Duration], [0, 1, 1000])
    func endless(time: Duration, answers: Int) {
        var pace = PicturePace()
        var now = start
        var pictures = 0
        while now < start + .seconds(60) {
            now = max(now + time, pace.took(time, answers: answers, at: now + time))
            pictures += 1
        }
        let counted = time + PicturePace.leastOfPicture + PicturePace.leastOfAnswer * answers
        let part = Duration.seconds(60) / PicturePace.parts + PicturePace.reserve
        #expect(counted * pictures <= part + counted * 2)
        #expect(counted * pictures >= Duration.seconds(60) / PicturePace.parts)
    }

    @Test("After a stop of the whole process, a scene is soon asked again")
    func stopped() {
        var pace = PicturePace()
        let next = pace.took(.seconds(3600), answers: 1, at: start)
        #expect(next <= start + .milliseconds(1))
        var now = start
        for _ in 0..<100 { now = max(now, pace.took(.seconds(3600), answers: 1, at: now)) }
        #expect(pace.took(.seconds(3600), answers: 1, at: now) <= now + .seconds(3))
    }

    @Test("Scenes have paces of their own")
    func several() {
        var watches = SceneWatches()
        let asker = SceneWatches.Asker(sender: "console", id: "console")
        for id in ["busy", "quiet"] {
            _ = watches.ask(id, .init(), condition: .init(state: .running), from: asker, at: start, time: 100)
        }
        let late = (0..<100).reduce(start) { _, _ in
            watches.took(.milliseconds(100), answers: 1, of: "busy", at: start)
        }
        #expect(late > start + .seconds(1))
        #expect(watches.took(.milliseconds(100), answers: 1, of: "quiet", at: start) <= start)
    }
}
