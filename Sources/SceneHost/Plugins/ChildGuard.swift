import Bus
import CChildren
import Glibc
import Logging
import Subprocess
import SystemPackage

/// The process that ends the children's process groups when this process is killed.
///
/// It is this executable under another name; see `guard.c`. It is told of the groups over a pair of sockets, which close
/// when this process is gone. It is also told when a start begins: if this process is killed then, before it has told of
/// the group, the guard finds the child by a variable in its environment.
@MainActor
final class ChildGuard {
    /// How long the guard may take to end when all groups have. One that is stopped does not end by itself.
    private static let endLimit = Duration.seconds(4)
    /// The messages for a start that begins, and for one that has ended. The others are ids of groups, which are larger.
    private static let startBegins: Int32 = 1
    private static let startEnds: Int32 = -1

    private(set) var pid: Int32?
    /// Why there is no guard at the moment; `nil` while there is one.
    private(set) var problem: String?
    /// The value of ``ChildEnvironment/guardVariable``. It differs from that of every other host.
    let mark = String(UInt64.random(in: .min ... .max), radix: 16)
    private let logger: Logger
    private var socket: Int32 = -1
    private var groups: [Int32] = []
    /// The children whose starts have begun.
    private var starting: [String] = []
    /// Whether the present guard has missed a message.
    private var hasMissed = false
    private var isEnding = false
    private var running: Task<Void, Never>?
    private var pausing: Task<Void, Never>?
    /// Who waits for the first guard.
    private var waiting: CheckedContinuation<Void, Never>?

    init(logger: Logger) {
        self.logger = logger
    }

    /// Starts the guard, and returns when it runs or could not be started.
    func start() async {
        await withCheckedContinuation { waiting in
            self.waiting = waiting
            running = Task { await keepRunning() }
        }
    }

    /// The start of a child begins. Its environment must have the ``mark``.
    func begin(_ name: String) {
        starting.append(name)
        tell([Self.startBegins])
    }

    /// The start of a child has ended. Call it after ``add(_:)``, or when the start has failed.
    func finish(_ name: String) {
        guard let index = starting.firstIndex(of: name) else { return }
        starting.remove(at: index)
        tell([Self.startEnds])
    }

    /// A group was started.
    func add(_ group: Int32) {
        groups.append(group)
        tell([group])
    }

    /// A group has ended. Call this before its leader is reaped.
    func remove(_ group: Int32) {
        groups.removeAll { $0 == group }
        tell([-group])
    }

    /// Ends the guard when all groups have ended.
    func end() async {
        isEnding = true
        closeSocket()
        pausing?.cancel()
        let killing = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: Self.endLimit)
                killGuard()
            }
        }
        await running?.value
        killing.cancel()
    }

    private func closeSocket() {
        if socket >= 0 { close(socket) }
        socket = -1
    }

    /// Kills the guard, which then ends no groups. SIGKILL also ends a stopped process.
    private func killGuard() {
        if let pid { kill(pid, SIGKILL) }
    }

    private func tell(_ numbers: [Int32]) {
        guard socket >= 0, !numbers.isEmpty else { return }
        let size = numbers.count * MemoryLayout<Int32>.size
        guard send(socket, numbers, size, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) != size else { return }
        // A guard that does not read, because it is stopped, knows wrong groups from now on. The next one is told of all.
        hasMissed = true
        killGuard()
    }

    /// Replaces each guard that ends, until the end of this process.
    private func keepRunning() async {
        var pause = GuardPause()
        while !isEnding {
            let start = MonotonicInstant.now
            let reason = await runOne()
            if isEnding { break }
            let wait = pause.after(life: MonotonicInstant.now - start)
            problem = "plugins may outlive this host if it is killed: \(reason)"
            logger.warning(
                "plugins may outlive this host if it is killed; their guard is started again",
                metadata: ["reason": "\(reason)", "wait": "\(wait)"])
            resumeWaiting()
            let pausing = Task { _ = try? await Task.sleep(for: wait) }
            self.pausing = pausing
            await pausing.value
        }
        resumeWaiting()
    }

    private func resumeWaiting() {
        waiting?.resume()
        waiting = nil
    }

    /// Runs one guard until it ends.
    /// - Returns: why there is no guard any more.
    private func runOne() async -> String {
        // Opened here, because a failure within `run` would leave the guard's end of the pair open.
        guard let null = try? FileDescriptor.open("/dev/null", .readWrite, options: .closeOnExec) else {
            return "/dev/null cannot be opened for their guard: \(Errno(rawValue: errno))"
        }
        defer { try? null.close() }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return "no sockets for their guard: \(Errno(rawValue: errno))"
        }
        socket = ends[0]
        hasMissed = false
        // In one message, because the socket has room for a few hundred messages only.
        tell(groups + starting.map { _ in Self.startBegins })
        defer {
            pid = nil
            closeSocket()
        }
        var options = PlatformOptions()
        // Signals of the terminal must not reach it.
        options.processGroupID = 0
        do {
            let outcome = try await Subprocess.run(
                .path("/proc/self/exe"),
                arguments: Arguments(
                    executablePathOverride: String(cString: scenebus_guard_name()),
                    remainingValues: ["\(ChildEnvironment.guardVariable)=\(mark)"]),
                // Without the variable: the guard of a host that is itself a plugin is none of its host's children.
                environment: .custom(ChildEnvironment().variables(from: ChildEnvironment.ofThisProcess())),
                platformOptions: options,
                input: .fileDescriptor(FileDescriptor(rawValue: ends[1]), closeAfterSpawningProcess: true),
                output: .fileDescriptor(null, closeAfterSpawningProcess: false),
                error: .fileDescriptor(null, closeAfterSpawningProcess: false)
            ) { execution in
                pid = execution.processIdentifier.value
                problem = nil
                if hasMissed { killGuard() }
                resumeWaiting()
                let descriptor = execution.processIdentifier.processDescriptor
                // A kernel that is too old for descriptors of processes.
                guard descriptor >= 0 else { return }
                // The process is reaped when this closure has returned. Until then its id is no other process's.
                await ProcessGroup.wait(for: descriptor, until: nil)
                pid = nil
            }
            return "their guard \(ProcessEnd(outcome.terminationStatus).words(lastLine: nil))"
        } catch {
            return "their guard could not be started: \(error)"
        }
    }
}
