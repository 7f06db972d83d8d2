import CChildren
import Glibc
import Logging
import Subprocess
import SystemPackage

/// The process that ends the children's process groups when this process is killed.
///
/// It is this executable under another name; see `guard.c`. It is told of the groups over a pair of sockets, which close
/// when this process is gone.
@MainActor
final class ChildGuard {
    /// A guard that was killed is replaced this often.
    private static let maximumReplacements = 10

    private(set) var pid: Int32?
    private let logger: Logger
    private var socket: Int32 = -1
    private var groups: [Int32] = []
    private var replacements = 0
    private var running: Task<Void, Never>?

    init(logger: Logger) {
        self.logger = logger
    }

    func start() {
        running = Task {
            while await run(), replacements < Self.maximumReplacements { replacements += 1 }
        }
    }

    /// A group was started.
    func add(_ group: Int32) {
        groups.append(group)
        tell(group)
    }

    /// A group has ended. Call this before its leader is reaped.
    func remove(_ group: Int32) {
        groups.removeAll { $0 == group }
        tell(-group)
    }

    /// Ends the guard when all groups have ended.
    func end() async {
        let task = running
        running = nil
        closeSocket()
        await task?.value
    }

    private func closeSocket() {
        if socket >= 0 { close(socket) }
        socket = -1
    }

    private func tell(_ number: Int32) {
        guard socket >= 0 else { return }
        var number = number
        _ = send(socket, &number, MemoryLayout<Int32>.size, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }

    /// Runs one guard until it ends.
    /// - Returns: whether another one must be started.
    private func run() async -> Bool {
        guard running != nil else { return false }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            logger.warning(
                "plugins may outlive this host if it is killed", metadata: ["reason": "\(Errno(rawValue: errno))"])
            return false
        }
        socket = ends[0]
        for group in groups { tell(group) }
        var options = PlatformOptions()
        // Signals of the terminal must not reach it.
        options.processGroupID = 0
        do {
            _ = try await Subprocess.run(
                .path("/proc/self/exe"),
                arguments: Arguments(
                    executablePathOverride: String(cString: scenebus_guard_name()), remainingValues: []),
                platformOptions: options,
                input: .fileDescriptor(FileDescriptor(rawValue: ends[1]), closeAfterSpawningProcess: true),
                output: .discarded, error: .discarded
            ) { execution in
                pid = execution.processIdentifier.value
            }
            pid = nil
            guard running != nil else { return false }
            closeSocket()
            logger.warning("the guard of the plugins' processes was killed; it is started again")
            return true
        } catch {
            pid = nil
            closeSocket()
            logger.warning("plugins may outlive this host if it is killed", metadata: ["reason": "\(error)"])
            return false
        }
    }
}
