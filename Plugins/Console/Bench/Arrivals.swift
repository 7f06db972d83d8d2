#if Console
    import LabClock
    import Synchronization

    /// Counts what comes to many pages.
    final class Arrivals: Sendable {
        private let missing = Mutex(0)
        private let times: AsyncThrowingStream<UInt64, any Error>
        private let time: AsyncThrowingStream<UInt64, any Error>.Continuation

        init() { (times, time) = AsyncThrowingStream.makeStream() }

        /// Waits from now on for so many.
        func expect(_ count: Int) { missing.withLock { $0 = count } }

        /// One of them is there.
        func arrive() {
            let isLast = missing.withLock { missing in
                missing -= 1
                return missing == 0
            }
            if isLast { time.yield(MonotonicTime.nanoseconds) }
        }

        /// Waits until all are there.
        /// - Returns: when the last one came, in nanoseconds on the machine's clock.
        func all() async throws -> UInt64 {
            for try await time in times { return time }
            throw CancellationError()
        }

        /// Lets the wait fail.
        func fail(_ error: any Error) { time.finish(throwing: error) }

        /// Nothing is waited for any more.
        func end() { time.finish() }
    }
#endif
