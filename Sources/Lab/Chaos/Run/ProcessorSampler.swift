import ChaosHistory
import Glibc
import Foundation

/// Measures how long processes wait for a processor.
///
/// The kernel counts for each thread how long it was ready to run and did not (`/proc/PID/schedstat`, the second
/// number). The main thread of a process does its work.
@MainActor
final class ProcessorSampler {
    private var waits: [Int32: UInt64] = [:]
    /// The waiting time of the whole run, in nanoseconds.
    private(set) var total: UInt64 = 0

    /// - Parameters:
    ///   - host: the host's process.
    ///   - others: the other processes.
    /// - Returns: how long the host and the one that has waited longest of the others have waited since the last call,
    ///   together, in nanoseconds.
    func sample(host: Int32?, others: [Int32]) -> UInt64 {
        var now: [Int32: UInt64] = [:]
        func waited(_ pid: Int32) -> UInt64 {
            guard let wait = Self.wait(of: pid) else { return 0 }
            now[pid] = wait
            // A process that has taken the id of another begins anew.
            return waits[pid].map { wait < $0 ? wait : wait - $0 } ?? 0
        }
        let longest = others.map(waited).max() ?? 0
        let sum = longest + (host.map(waited) ?? 0)
        waits = now
        total += sum
        return sum
    }

    private static func wait(of pid: Int32) -> UInt64? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/schedstat", encoding: .utf8) else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { UInt64($0) }
    }
}
