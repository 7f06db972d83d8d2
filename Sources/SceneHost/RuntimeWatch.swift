import Hub
import Logging
import ZeroMQ

/// Watches the runtime folder of a running host. Without the files in it no peer finds the host, and another host could
/// take its name. So what somebody removes is made anew; the connections of attached peers are not affected.
@MainActor
final class RuntimeWatch {
    /// The interval of the checks, which take three system calls each.
    private static let interval = Duration.seconds(1)

    private let lock: HostLock
    private let hub: Hub
    private let problems: HostProblems
    private let logger: Logger
    private let onTaken: @MainActor (HostError) -> Void
    private lazy var timer = LoopTimer { [weak self] in self?.look() }

    /// - Parameter onTaken: called when another host has taken the place, so that this one must end.
    init(
        _ lock: HostLock, hub: Hub, problems: HostProblems, logger: Logger,
        onTaken: @escaping @MainActor (HostError) -> Void
    ) {
        self.lock = lock
        self.hub = hub
        self.problems = problems
        self.logger = logger
        self.onTaken = onTaken
    }

    func start() { timer.set(for: .now + Self.interval) }

    func stop() { timer.cancel() }

    private func look() {
        timer.set(for: .now + Self.interval)
        guard !lock.isThere || hub.hasLostAddresses else {
            problems.runtime = nil
            return
        }
        do {
            // First the lock: it decides who may listen in the folder.
            if !lock.isThere { try lock.renew() }
            let endpoints = try hub.listenAgain()
            problems.runtime = nil
            logger.warning(
                "the runtime folder or files in it were removed; they have been made anew",
                metadata: ["folder": "\(lock.folder)", "sockets": "\(endpoints.count)"])
        } catch let error as HostError where error.code == .inUse {
            timer.cancel()
            let error = HostError(
                .inUse, "the runtime folder was removed while this host ran, and another has taken its place: \(error)")
            logger.error("the host ends", metadata: ["reason": "\(error)"])
            onTaken(error)
        } catch {
            let problem = "files in \(lock.folder) were removed, and cannot be made anew: \(error)"
            if problems.runtime != problem {
                logger.error("peers cannot find this host", metadata: ["reason": "\(problem)"])
            }
            problems.runtime = problem
        }
    }
}
