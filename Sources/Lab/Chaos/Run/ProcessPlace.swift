import ChaosHistory
import Foundation
import NetworkLab
import Subprocess
import SystemPackage

/// A place on a machine where a process runs: the one who makes the faults ends it, and starts the next one.
@MainActor
final class ProcessPlace {
    let name: String
    let machine: NetworkLab.Machine
    private let arguments: [String]
    private let log: ChaosLog
    private let output: String
    private(set) var pid: Int32?
    /// The most memory that a process here was seen to have had, in kilobytes.
    private(set) var peakMemory = 0
    /// The process is killed, or told to end: what happens next is no surprise.
    private var isExpectedToEnd = false
    private var isEnding = false
    /// How long it stays away after a kill.
    private var pause = Duration.zero
    /// What is to be done when the process is gone, before the next one is started.
    var repair: (@MainActor () async -> Void)?
    private var task: Task<Void, Never>?
    /// Whether there was a process here already.
    private var hasRun = false
    /// Whether there is to be a process here.
    var isStarted: Bool { task != nil }

    /// - Parameters:
    ///   - arguments: those of this executable.
    ///   - output: the file that what it prints is added to.
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

    /// Runs a process here, and another one when it ends, until ``end(within:)``.
    /// - Parameter once: it is to end by itself, and has no successor.
    func start(once: Bool = false) {
        let work: @MainActor @Sendable () async -> Void = { [self] in
            while !isEnding {
                await runOnce(isExpectedToEnd: once)
                if once { return }
                // A process that cannot be started must not be tried without a pause.
                let wait = max(pause, .milliseconds(50))
                pause = .zero
                if let repair {
                    self.repair = nil
                    await repair()
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
            let result = try await Subprocess.run(
                .path(FilePath(command[0])), arguments: Arguments(Array(command.dropFirst())), input: .none,
                output: .fileDescriptor(file, closeAfterSpawningProcess: false),
                error: .fileDescriptor(file, closeAfterSpawningProcess: false)
            ) { execution in
                pid = execution.processIdentifier.value
                hasRun = true
                log.write(.started(machine: machine.number), pid: pid ?? 0, process: name)
            }
            log.write(
                .ended(how: "\(result.terminationStatus)", isExpected: self.isExpectedToEnd), pid: pid ?? 0,
                process: name)
        } catch {
            log.write(.ended(how: "it cannot be started: \(error)", isExpected: false), pid: 0, process: name)
        }
        pid = nil
    }

    // MARK: - Ending

    /// Ends the process as nobody can prevent; the next one is started after a pause.
    func kill(pause: Duration) {
        guard let pid else { return }
        notePeakMemory()
        self.pause = pause
        isExpectedToEnd = true
        Glibc.kill(pid, SIGKILL)
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
    /// - Returns: false when it had to be killed.
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

    /// Looks at what the process has needed so far.
    func notePeakMemory() {
        guard let pid, let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        peakMemory = max(peakMemory, kilobytes ?? 0)
    }

    /// How many descriptors the process has open.
    var descriptors: Int? {
        guard let pid else { return nil }
        return (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd"))?.count
    }
}
