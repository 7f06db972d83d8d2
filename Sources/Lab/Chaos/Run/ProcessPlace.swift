import ChaosHistory
import Foundation
import NetworkLab
import Subprocess
import SystemPackage

/// A place on a machine where a process runs. When the process ends, another one is started in its place.
@MainActor
final class ProcessPlace {
    let name: String
    let machine: NetworkLab.Machine
    /// The arguments for this executable.
    var arguments: [String]
    private let log: ChaosLog
    private let output: String
    /// A pipe for its output, whose reader can be paused; `nil` for the file.
    var pipe: PausableOutput?
    private(set) var pid: Int32?
    /// The peak memory of the processes here, in kilobytes.
    private(set) var peakMemory = 0
    /// Whether the process was killed or asked to end, so that its end is expected.
    private var isExpectedToEnd = false
    /// The signal by which the scene that crashes its worker does so, and nothing else. The session of that scene may have
    /// moved to another worker than the one that the fault names.
    static let crashOfScene = SIGFPE
    /// The last process here that ended in that way.
    private(set) var crashedPid: Int32?
    private var isEnding = false
    /// The time between a kill and the start of the next process.
    private var pause = Duration.zero
    /// Called after the end of the process, before the next one is started.
    var repair: (@MainActor () async -> Void)?
    private var isInRepair = false
    /// Whether the next process is not started before a ``repair`` has ended.
    var awaitsRepair: Bool { repair != nil || isInRepair }
    private var task: Task<Void, Never>?
    /// Whether a process has already run here.
    private var hasRun = false
    /// Whether a process should run here.
    var isStarted: Bool { task != nil }

    /// - Parameters:
    ///   - arguments: the arguments for this executable.
    ///   - output: the file to which its output is appended.
    init(_ name: String, on machine: NetworkLab.Machine, _ arguments: [String], log: ChaosLog, output: String) {
        self.name = name
        self.machine = machine
        self.arguments = arguments
        self.log = log
        self.output = output
    }

    static let executable =
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]

    // MARK: - Running

    /// Runs a process here, and restarts it whenever it ends, until ``end(within:)``.
    /// - Parameter once: whether the process is expected to end by itself and is not restarted.
    func start(once: Bool = false) {
        let work: @MainActor @Sendable () async -> Void = { [self] in
            while !isEnding {
                await runOnce(isExpectedToEnd: once)
                if once { return }
                // Pause before the next attempt if the process cannot be started.
                let wait = max(pause, .milliseconds(50))
                pause = .zero
                if let repair {
                    self.repair = nil
                    isInRepair = true
                    await repair()
                    isInRepair = false
                }
                if !isEnding { try? await Task.sleep(for: wait) }
            }
        }
        task = Task(operation: work)
    }

    private func runOnce(isExpectedToEnd: Bool) async {
        self.isExpectedToEnd = isExpectedToEnd
        let command = machine.command([Self.executable] + arguments)
        do {
            let file = try FileDescriptor.open(
                FilePath(output), .writeOnly, options: [.append, .create, .closeOnExec], permissions: .ownerReadWrite)
            defer { try? file.close() }
            let destination = pipe?.writeEnd ?? file
            let result = try await Subprocess.run(
                .path(FilePath(command[0])), arguments: Arguments(Array(command.dropFirst())), input: .none,
                output: .fileDescriptor(destination, closeAfterSpawningProcess: false),
                error: .fileDescriptor(destination, closeAfterSpawningProcess: false)
            ) { execution in
                pid = execution.processIdentifier.value
                hasRun = true
                log.write(.started(machine: machine.number), pid: pid ?? 0, process: name)
                // `end` had no process to signal while this one was being started.
                if isEnding { send(SIGKILL) }
            }
            let hasCrashed = result.terminationStatus == .signaled(Self.crashOfScene)
            if hasCrashed { crashedPid = pid }
            log.write(
                .ended(how: "\(result.terminationStatus)", isExpected: self.isExpectedToEnd || hasCrashed),
                pid: pid ?? 0, process: name)
        } catch {
            log.write(.ended(how: "it cannot be started: \(error)", isExpected: false), pid: 0, process: name)
        }
        pid = nil
    }

    // MARK: - Ending

    /// Kills the process with SIGKILL. The next one is started after a pause.
    func kill(pause: Duration) {
        guard let pid else { return }
        notePeakMemory()
        expectEnd(pause: pause)
        Glibc.kill(pid, SIGKILL)
    }

    /// Expects the process to end by itself. The next one is started after a pause.
    func expectEnd(pause: Duration) {
        self.pause = pause
        isExpectedToEnd = true
    }

    /// Whether the process has ended by itself within a time.
    func hasEnded(within limit: Duration) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            if hasRun, pid == nil { return true }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    func send(_ signal: Int32) {
        if let pid { Glibc.kill(pid, signal) }
    }

    /// Asks the process to end.
    /// - Returns: `false` if it had to be killed.
    func end(within limit: Duration = .seconds(8)) async -> Bool {
        isEnding = true
        isExpectedToEnd = true
        send(SIGTERM)
        let pid = pid
        let deadline = Task { [weak self] in
            try await Task.sleep(for: limit)
            self?.send(SIGKILL)
            return pid
        }
        await task?.value
        deadline.cancel()
        return (try? await deadline.value) == nil
    }

    /// Updates the peak memory from the process's status.
    func notePeakMemory() {
        guard let pid, let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        peakMemory = max(peakMemory, kilobytes ?? 0)
    }

    /// The number of open descriptors of the process.
    var descriptors: Int? {
        guard let pid else { return nil }
        return (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd"))?.count
    }
}
