import CChildren
import Glibc
import ZeroMQ

/// Reaps the orphans that this process has adopted as process 1 of a container, or as a subreaper.
///
/// Nothing tells an adopted process from one that other code has started and is about to wait for. A process is
/// therefore reaped only if nobody has waited for it in several looks.
@MainActor
final class AdoptedChildren {
    private static let lookInterval = Duration.seconds(1)
    /// The number of looks in which a process must have been found.
    private static let looks = 3
    /// The maximum number of processes in one look.
    private static let maximumCount = 256

    private let awaited: @MainActor () -> [Int32]
    private var seen: [Int32: Int] = [:]
    private lazy var timer = LoopTimer { [weak self] in self?.look() }

    /// - Parameter awaited: the processes for which this process waits.
    init(awaited: @escaping @MainActor () -> [Int32]) {
        self.awaited = awaited
    }

    func begin() {
        if scenebus_adopts_orphans() != 0 { timer.set(for: .now + Self.lookInterval) }
    }

    func end() { timer.cancel() }

    private func look() {
        timer.set(for: .now + Self.lookInterval)
        let exited = withUnsafeTemporaryAllocation(of: pid_t.self, capacity: Self.maximumCount) { buffer in
            Array(buffer[..<Int(scenebus_exited_children(buffer.baseAddress, Int32(buffer.count)))])
        }
        let own = awaited()
        var found: [Int32: Int] = [:]
        for child in exited where !own.contains(child) {
            let count = seen[child, default: 0] + 1
            if count < Self.looks { found[child] = count } else { waitpid(child, nil, WNOHANG) }
        }
        seen = found
    }
}
