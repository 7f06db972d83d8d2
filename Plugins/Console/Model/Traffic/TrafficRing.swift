package import ConsolePages

/// How many messages the host has passed on in the last hour, as the difference of its counters from sample to sample.
package struct TrafficRing: Sendable {
    /// The host's counters at one time.
    package struct Sample: Hashable, Sendable {
        /// The number of the host's life: its counters begin anew with each.
        package var epoch: UInt64
        package var received: UInt64
        package var sent: UInt64
        /// What was dropped and refused.
        package var lost: UInt64

        package init(epoch: UInt64, received: UInt64, sent: UInt64, lost: UInt64) {
            self.epoch = epoch
            self.received = received
            self.sent = sent
            self.lost = lost
        }
    }

    /// The seconds from sample to sample, and how many are kept: those of an hour.
    package static let (interval, capacity) = (5.0, 720)
    /// The seconds of one point of the picture. A mean of several samples is calmer than each of them.
    private static let span = 30.0
    /// After how many seconds without a sample nobody knows how the messages were spread.
    private static let longest = 3 * interval

    /// What happened between two samples.
    private struct Step: Sendable {
        /// When it ended, in seconds.
        var time: Double
        var seconds: Double
        var received, sent, lost: Double
    }

    /// The oldest is at `oldest` once all places are taken.
    private var steps: [Step] = []
    private var oldest = 0
    private var last: (sample: Sample, time: Double)?

    package init() {}

    /// The number of differences that are kept.
    package var count: Int { steps.count }

    /// Adds a sample. The request for it is left out, with its reply.
    /// - Parameter time: in seconds of a clock that never goes back.
    package mutating func add(_ sample: Sample, at time: Double) {
        defer { last = (sample, time) }
        // Counters that have become less are those of another life, too, whatever number it has.
        guard let last, last.sample.epoch == sample.epoch, time > last.time, time - last.time <= Self.longest,
            sample.received >= last.sample.received, sample.sent >= last.sample.sent, sample.lost >= last.sample.lost
        else { return }
        func difference(_ new: UInt64, _ old: UInt64, without own: UInt64) -> Double {
            let all = new - old
            return Double(all > own ? all - own : 0)
        }
        let step = Step(
            time: time, seconds: time - last.time,
            received: difference(sample.received, last.sample.received, without: 1),
            sent: difference(sample.sent, last.sample.sent, without: 1),
            lost: difference(sample.lost, last.sample.lost, without: 0))
        if steps.count < Self.capacity {
            steps.append(step)
        } else {
            steps[oldest] = step
            oldest = (oldest + 1) % Self.capacity
        }
    }

    /// Returns the rates of the last hour. Each point is the mean of half a minute, and stays as it is once that is over.
    package func picture(at time: Double) -> TrafficPicture {
        let current = Int(time / Self.span)
        let spans = Int(Self.interval * Double(Self.capacity) / Self.span)
        var sums: [Int: Step] = [:]
        for step in steps {
            let span = Int(step.time / Self.span)
            guard span > current - spans, span <= current else { continue }
            var sum = sums[span] ?? Step(time: 0, seconds: 0, received: 0, sent: 0, lost: 0)
            sum.seconds += step.seconds
            sum.received += step.received
            sum.sent += step.sent
            sum.lost += step.lost
            sums[span] = sum
        }
        let points = sums.sorted { $0.key < $1.key }.map { span, sum in
            TrafficPicture.Point(
                span: span, received: sum.received / sum.seconds, sent: sum.sent / sum.seconds,
                lost: sum.lost / sum.seconds)
        }
        return TrafficPicture(points: points, last: current, spans: spans)
    }
}
