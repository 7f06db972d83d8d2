// A build without the trait has no console.
#if Console
    import Monotonic
    import Synchronization

    @testable import console_plugin

    /// A clock that stands until a test lets time pass.
    final class NightClock: Sendable {
        private struct State {
            var passed = Duration.zero
            var sleepers: [UInt64: (end: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
            var last: UInt64 = 0
            var wakes = 0
            var set = 0.0
        }

        private static let evening = 1_800_000_000.0

        private let start = MonotonicInstant.now
        private let state = Mutex(State())

        /// The clock for the console.
        var console: ConsoleClock {
            ConsoleClock(
                time: { self.state.withLock { Self.evening + $0.set + $0.passed / .seconds(1) } },
                now: { self.start + self.passed },
                sleep: { try await self.sleep($0) })
        }

        /// Sets the time of day, which is no time that passes.
        func set(by seconds: Double) { state.withLock { $0.set += seconds } }

        /// The time since the evening.
        var passed: Duration { state.withLock { $0.passed } }

        /// How many wait for a later time.
        var sleepers: Int { state.withLock { $0.sleepers.count } }

        /// How many times somebody was woken so far.
        var wakes: Int { state.withLock { $0.wakes } }

        /// When the next one wants to be woken; `nil` for nobody.
        var next: Duration? { state.withLock { $0.sleepers.values.map(\.end).min() } }

        /// Lets time pass, and wakes those whose time has come.
        func pass(to time: Duration) {
            let woken = state.withLock { state in
                state.passed = max(state.passed, time)
                let due = state.sleepers.filter { $0.value.end <= time }
                for number in due.keys { state.sleepers[number] = nil }
                state.wakes += due.count
                return due.values.map(\.continuation)
            }
            for continuation in woken { continuation.resume() }
        }

        private func sleep(_ duration: Duration) async throws {
            let number = state.withLock { state in
                state.last += 1
                return state.last
            }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let isCancelled = state.withLock { state in
                        guard !Task.isCancelled else { return true }
                        state.sleepers[number] = (state.passed + duration, continuation)
                        return false
                    }
                    if isCancelled { continuation.resume(throwing: CancellationError()) }
                }
            } onCancel: {
                let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
                sleeper?.continuation.resume(throwing: CancellationError())
            }
        }
    }
#endif
