import CChildren
import Glibc
import ZeroMQ

/// The process group of a child, which is its leader.
///
/// It is ended before the leader is reaped: until then the group's id belongs to no other group.
@MainActor
struct ProcessGroup {
    /// How long processes may take to be gone after SIGKILL. One that waits for a broken disk is left behind.
    private static let lastWait = Duration.seconds(2)
    /// The time between two looks at a process for which there is no descriptor.
    private static let lookInterval = Duration.milliseconds(100)

    let leader: Int32

    /// Waits until the leader has exited, then ends what is left of the group: with SIGTERM, and with SIGKILL after a
    /// time.
    /// - Parameters:
    ///   - descriptor: the leader's, from `pidfd_open`.
    ///   - limit: the time between the two signals.
    func end(afterLeader descriptor: Int32, within limit: Duration) async {
        await Self.wait(for: descriptor, until: nil)
        guard await Self.member(of: leader) != 0 else { return }
        kill(-leader, SIGTERM)
        // A stopped process handles the signal only when it goes on.
        kill(-leader, SIGCONT)
        if await isGone(by: .now + limit) { return }
        kill(-leader, SIGKILL)
        _ = await isGone(by: .now + Self.lastWait)
    }

    /// Waits until no process of the group but the leader runs.
    /// - Returns: `false` when some still run, or that cannot be found out.
    private func isGone(by deadline: MonotonicInstant) async -> Bool {
        while true {
            let member = await Self.member(of: leader)
            if member <= 0 { return member == 0 }
            let now = MonotonicInstant.now
            guard now < deadline else { return false }
            let descriptor = scenebus_pidfd_open(member)
            guard descriptor >= 0 else {
                await Self.wait(for: -1, until: min(deadline, now + Self.lookInterval))
                continue
            }
            defer { close(descriptor) }
            // The id may have been given to another process since.
            guard getpgid(member) == leader else { continue }
            await Self.wait(for: descriptor, until: deadline)
        }
    }

    /// A running process of a group, other than the leader; 0 if there is none, -1 if that cannot be found out. It reads
    /// all of `/proc`, and therefore does not run on the main actor.
    @concurrent
    private nonisolated static func member(of group: Int32) async -> Int32 { scenebus_group_member(group) }

    /// Waits until a descriptor is readable, or for a time. A cancellation does not end the wait.
    static func wait(for descriptor: Int32, until deadline: MonotonicInstant?) async {
        let wait = Wait()
        await withCheckedContinuation { wait.begin(descriptor, until: deadline, $0) }
    }
}

/// A wait for an event. It is kept by what it waits for.
@MainActor
private final class Wait {
    private var continuation: CheckedContinuation<Void, Never>?
    private var source: DescriptorSource?
    private var timer: LoopTimer?

    func begin(
        _ descriptor: Int32, until deadline: MonotonicInstant?, _ continuation: CheckedContinuation<Void, Never>
    ) {
        self.continuation = continuation
        if descriptor >= 0 { source = DescriptorSource(descriptor) { self.end() } }
        guard let deadline else { return }
        timer = LoopTimer { self.end() }
        timer?.set(for: deadline)
    }

    private func end() {
        source?.cancel()
        timer?.cancel()
        source = nil
        timer = nil
        continuation?.resume()
        continuation = nil
    }
}
