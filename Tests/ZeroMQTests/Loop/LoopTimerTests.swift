import Testing
import ZeroMQ

@MainActor
@Suite(.timeLimit(.minutes(5)), .serialized)
struct LoopTimerTests {
    private let fired = Inbox(of: String.self)

    private func timer(_ name: String) -> LoopTimer {
        LoopTimer { [fired] in fired.put(name) }
    }

    @Test func `Timers fire in the order of their deadlines and not before them`() async {
        let start = MonotonicInstant.now
        let timers = [("c", 30), ("a", 10), ("d", 40), ("b", 20)].map { (timer($0.0), $0.1) }
        for (timer, milliseconds) in timers { timer.set(for: start + .milliseconds(milliseconds)) }
        #expect(await fired.take(4) == ["a", "b", "c", "d"])
        #expect(MonotonicInstant.now - start >= .milliseconds(40))
        let left = timers.compactMap { $0.0.deadline }
        #expect(left.isEmpty)
    }

    @Test func `Timers that are due in the same turn fire in the order of their deadlines`() async {
        let now = MonotonicInstant.now
        let timers = (1...20).map { (timer("\($0)"), $0) }
        for (timer, age) in timers { timer.set(for: now - .milliseconds(age)) }
        #expect(await fired.take(20) == (1...20).reversed().map { "\($0)" })
        _ = timers
    }

    @Test func `A cancelled timer does not fire`() async {
        let cancelled = timer("cancelled")
        cancelled.set(for: .now + .milliseconds(1))
        cancelled.cancel()
        #expect(cancelled.deadline == nil)
        let due = timer("due and cancelled")
        due.set(for: .now)
        due.cancel()
        let last = timer("last")
        last.set(for: .now + .milliseconds(20))
        #expect(await fired.take(1) == ["last"])
        #expect(fired.count == 1)
    }

    @Test func `A timer that another timer cancels in the same turn does not fire`() async {
        let second = timer("second")
        let first = LoopTimer { [fired] in
            fired.put("first")
            second.cancel()
        }
        let now = MonotonicInstant.now
        second.set(for: now - .milliseconds(1))
        first.set(for: now - .milliseconds(2))
        let last = timer("last")
        last.set(for: now + .milliseconds(20))
        #expect(await fired.take(2) == ["first", "last"])
        #expect(fired.count == 2)
    }

    @Test func `A timer that is set again fires once, at the new time`() async {
        let start = MonotonicInstant.now
        let later = timer("later")
        later.set(for: start + .milliseconds(5))
        later.set(for: start + .milliseconds(40))
        #expect(later.deadline == start + .milliseconds(40))
        let sooner = timer("sooner")
        sooner.set(for: start + .seconds(30))
        sooner.set(for: start + .milliseconds(15))
        #expect(await fired.take(2) == ["sooner", "later"])
        #expect(MonotonicInstant.now - start >= .milliseconds(40))
        let last = timer("last")
        last.set(for: .now + .milliseconds(10))
        #expect(await fired.take(1) == ["last"])
        #expect(fired.count == 3)
    }

    @Test func `A timer may set itself again and does not block other timers`() async {
        let count = Slot(0)
        let again = Slot<LoopTimer>()
        again.value = LoopTimer { [fired] in
            let next = (count.value ?? 0) + 1
            count.value = next
            if next < 100 { again.value?.set(for: .now) } else { fired.put("hundred") }
        }
        again.value?.set(for: .now)
        let other = timer("other")
        other.set(for: .now)
        #expect(await fired.take(2).sorted() == ["hundred", "other"])
        #expect(count.value == 100)
        again.value = nil
    }

    @Test func `Timers that are set again and again leave nothing behind`() async {
        let restless = timer("restless")
        let end = MonotonicInstant.now + .milliseconds(30)
        for step in 0..<10_000 { restless.set(for: end + .seconds(10_000 - step)) }
        restless.set(for: end)
        #expect(await fired.take(1) == ["restless"])
        #expect(fired.count == 1)
    }

    @Test func `A timer in the far future waits and does not block other timers`() async {
        let late = timer("late")
        late.set(for: .now + .seconds(Int64.max))
        timer("soon").set(for: .now + .milliseconds(5))
        #expect(await fired.take(1) == ["soon"])
        timer("alone").set(for: .now + .milliseconds(5))
        #expect(await fired.take(1) == ["alone"])
        late.cancel()
    }

    @Test func `A timer fires even if it is not retained`() async {
        timer("alone").set(for: .now + .milliseconds(5))
        #expect(await fired.take(1) == ["alone"])
    }
}
