import BenchMessages
import Bus
import CBOR
import LabClock
import Messaging
import PeerLink

/// Records how long each change of the entry `bench` took to reach each receiver.
@MainActor
final class Latencies {
    private var times: [UInt64] = []
    /// The longest time of each round.
    private var longest: [UInt64]
    /// The number of changes that each receiver has received.
    private var seen: [Int]
    private let receivers: Int
    private let end: AsyncStream<Void>.Continuation
    /// Changes before this time belong to an earlier round.
    private let start = MonotonicTime.nanoseconds

    /// - Parameter end: yields when all receivers have received all rounds.
    init(receivers: Int, rounds: Int, _ end: AsyncStream<Void>.Continuation) {
        self.receivers = receivers
        self.end = end
        longest = Array(repeating: 0, count: rounds)
        seen = Array(repeating: 0, count: receivers)
        times.reserveCapacity(receivers * rounds)
    }

    /// Records that a receiver has received a change.
    /// - Parameters:
    ///   - sent: when the change was made, in nanoseconds on the machine's clock.
    ///   - receiver: the receiver's number, from 0.
    ///   - time: when it was received.
    func received(sent: UInt64, by receiver: Int, at time: UInt64 = MonotonicTime.nanoseconds) {
        guard sent >= start else { return }
        let latency = time - sent
        times.append(latency)
        let round = seen[receiver]
        seen[receiver] = round + 1
        guard round < longest.count else { return }
        longest[round] = max(longest[round], latency)
        if times.count == receivers * longest.count { end.yield() }
    }

    /// Prints the longest time of each round, and then the percentiles of all times.
    func show() {
        let sorted = times.sorted()
        print("rounds " + longest.map(String.init).joined(separator: " "))
        print(
            "p50_us=\(Double(sorted[sorted.count / 2]) / 1e3) p99_us=\(Double(sorted[sorted.count * 99 / 100]) / 1e3)")
    }
}

/// One link that receives the changes.
@MainActor
final class LatencyReceiver: LinkDelegate {
    private let number: Int
    private let latencies: Latencies

    /// - Parameter number: its number among the receivers, from 0.
    init(_ number: Int, _ latencies: Latencies) {
        self.number = number
        self.latencies = latencies
    }

    func link(_ link: Link, changed action: DependencyReplica.Action) {
        guard case .apply(let entries) = action, let bytes = entries["bench"] ?? nil,
            let sent = try? CBORDecoder().decode(UInt64.self, from: bytes)
        else { return }
        latencies.received(sent: sent, by: number)
    }
}
