import Foundation
import Glibc

/// How many processes the kernel has killed since the machine's start because there was no memory left.
///
/// It does not say which: SIGKILL ends such a process as it does one that a person has killed.
struct OutOfMemoryKills: Hashable, Sendable {
    /// `nil` where the kernel does not count them, which it does since Linux 4.13.
    let count: Int?

    /// - Parameter statistics: the text of `/proc/vmstat`.
    init(statistics: String) {
        let line = statistics.split(separator: "\n").first { $0.hasPrefix("oom_kill ") }
        count = line.flatMap { Int($0.dropFirst("oom_kill ".count)) }
    }

    /// As of now.
    static func read() -> OutOfMemoryKills {
        OutOfMemoryKills(statistics: (try? String(contentsOfFile: "/proc/vmstat", encoding: .utf8)) ?? "")
    }

    /// Says that a process may be one of them; `nil` if it is not, or nobody knows.
    /// - Parameter start: the number when the process was started.
    func hint(for end: ProcessEnd, since start: OutOfMemoryKills) -> String? {
        guard end == .signaled(SIGKILL) || end == .exited(128 + SIGKILL), let count, let before = start.count,
            count > before
        else { return nil }
        return "since its start, the kernel has killed processes for want of memory, and it may be one of them"
    }
}
