#if Console
    import Bus
    import ConsoleModel
    import ConsolePages
    import Messaging
    import Monotonic

    /// Asks the host for its counters every few seconds, also while nobody looks: who looks sees the last hour.
    @MainActor
    final class Traffic {
        private static let timeout = Duration.seconds(3)

        private let clock: ConsoleClock
        private let chain: @MainActor () -> ResponderChain
        private(set) var ring = TrafficRing()
        private let start: MonotonicInstant

        init(_ clock: ConsoleClock, over chain: @escaping @MainActor () -> ResponderChain) {
            self.clock = clock
            self.chain = chain
            start = clock.now()
        }

        var picture: TrafficPicture { ring.picture(at: seconds) }

        /// Takes samples until the task is cancelled.
        func run() async throws {
            while true {
                // While the host is away there is no sample, and the drawing has a gap.
                if let status = try? await chain().within(Self.timeout).hostStatus() {
                    ring.add(TrafficRing.Sample(status), at: seconds)
                }
                try await clock.sleep(.seconds(TrafficRing.interval))
            }
        }

        private var seconds: Double { (clock.now() - start) / .seconds(1) }
    }

    extension TrafficRing.Sample {
        fileprivate init(_ status: HostStatus) {
            let lost = status.counters.filter { $0.key.hasPrefix("dropped") || $0.key.hasPrefix("refused") }
            self.init(
                epoch: status.epoch, received: status.counters["frames in"] ?? 0,
                sent: status.counters["frames out"] ?? 0, lost: lost.values.reduce(0, &+))
        }
    }
#endif
