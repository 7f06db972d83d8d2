import Hub
import Bus
import Foundation
import Glibc
import PeerLink
import Logging
import Subprocess
import SystemPackage
import ZeroMQ

/// Starts the plugins' processes, restarts them with back-off when they end or hang, and ends them with the host.
@MainActor
final class PluginSupervisor {
    /// One process of one plugin.
    @MainActor
    final class Instance {
        let manifest: PluginManifest
        /// The peer name in its hello.
        let name: String
        var life: PluginMachine
        fileprivate(set) var output = OutputHistory()
        var pid: Int32? { didSet { if pid != nil { notStarted = nil } } }
        /// Why the last attempt has started no process.
        fileprivate(set) var notStarted: String?
        fileprivate var reason = RepeatedReason()

        init(_ manifest: PluginManifest, name: String) {
            self.manifest = manifest
            self.name = name
            life = PluginMachine(limits: manifest.limits)
        }

        var status: PluginStatus {
            PluginStatus(
                id: manifest.id, instance: name, version: manifest.version, state: life.state, pid: pid,
                restarts: life.restarts, handles: manifest.handles, provides: manifest.provides,
                scenes: manifest.scenes, problem: life.problem)
        }
    }

    /// The interval of the checks for hanging processes.
    private static let lookInterval = Duration.milliseconds(500)

    private(set) var instances: [Instance] = []
    private(set) var problems: [ManifestError] = []
    /// What belongs to the plugins' processes.
    private(set) var claims = ManifestClaims()
    private let endpoint: String
    /// The host's environment, from which the processes get what their manifests name.
    private let environment = ChildEnvironment.ofThisProcess()
    private let logger: Logger
    private lazy var timer = LoopTimer { [weak self] in self?.look() }
    private lazy var guardian = ChildGuard(logger: logger)
    private let isHostBehind: @MainActor (MonotonicInstant) -> Bool
    private let onEnd: @MainActor (_ pid: Int32, _ name: String, _ wasKilled: Bool) -> Void

    /// - Parameters:
    ///   - folders: the plugins folders.
    ///   - endpoint: the host's address for plugins.
    ///   - overrides: values that replace those of the manifests' configurations, by plugin and key path.
    ///   - isHostBehind: whether the host may not have read the hello of a process.
    ///   - onEnd: called when a process has ended.
    /// - Throws: ``HostError`` when a folder cannot be read, or an override cannot be applied.
    init(
        folders: [String], endpoint: String, overrides: [String], logger: Logger,
        isHostBehind: @escaping @MainActor (MonotonicInstant) -> Bool,
        onEnd: @escaping @MainActor (_ pid: Int32, _ name: String, _ wasKilled: Bool) -> Void
    ) throws {
        self.isHostBehind = isHostBehind
        self.onEnd = onEnd
        self.endpoint = endpoint
        self.logger = logger
        let found = try PluginManifest.all(in: folders)
        problems = found.problems
        for problem in problems {
            logger.error(
                folders.contains(problem.path) ? "there are no plugins" : "a plugin is left out",
                metadata: ["reason": "\(problem)"])
        }
        for manifest in try ConfigurationOverride.apply(overrides, to: found.manifests) {
            instances += manifest.instanceNames.map { Instance(manifest, name: $0) }
            claims.add(
                plugin: manifest.id, handles: manifest.handles, provides: manifest.provides,
                services: manifest.services)
        }
    }

    /// The names of the instances that are scene workers.
    var workerNames: Set<String> { Set(instances.filter { !$0.manifest.scenes.isEmpty }.map(\.name)) }

    /// Whether a worker is expected to attach that runs scenes of a configuration.
    func startsWorker(for configuration: String) -> Bool {
        instances.contains { $0.life.isExpected && $0.manifest.scenes.contains(configuration) }
    }

    /// What is wrong with the process that ends the plugins' processes if this one is killed; `nil` for nothing.
    var guardProblem: String? { guardian.problem }

    /// The processes that this supervisor waits for.
    var children: [Int32] { instances.compactMap(\.pid) + [guardian.pid].compactMap { $0 } }

    func instance(named name: String) -> Instance? { instances.first { $0.name == name } }

    /// Runs all processes until the task is cancelled, then ends them.
    func run() async {
        // The standard input of every plugin. The host keeps the write end, so plugins read an end of file when the
        // host dies.
        let parent: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
        do {
            parent = try FileDescriptor.pipe()
        } catch {
            for instance in instances {
                instance.life.fails("no pipe for its standard input: \(error)")
            }
            return
        }
        // A plugin that inherited the write end would keep the pipe open, and no plugin would notice the host's death.
        for end in [parent.readEnd, parent.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        timer.set(for: .now + Self.lookInterval)
        // A process that is started before the guard could outlive this one.
        await guardian.start()
        await withTaskGroup { group in
            for instance in instances {
                let body: @MainActor @Sendable () async -> Void = { await self.run(instance, parent: parent.readEnd) }
                group.addTask(operation: body)
            }
        }
        timer.cancel()
        await guardian.end()
        try? parent.readEnd.close()
        try? parent.writeEnd.close()
    }

    private func run(_ instance: Instance, parent: FileDescriptor) async {
        while !Task.isCancelled {
            instance.life.starts(at: .now)
            instance.output.begin(start: instance.life.restarts)
            let killsBefore = OutOfMemoryKills.read()
            var end = await runOnce(instance, parent: parent)
            instance.output.present.finish()
            end = end.afterLaunch(lastLine: instance.output.present.lastWords)
            if let verdict = instance.life.verdict { end = .killed(verdict) }
            if let pid = instance.pid { onEnd(pid, instance.name, end.isKilled) }
            instance.pid = nil
            if Task.isCancelled { break }
            let hint =
                instance.manifest.resources.hint(for: end)
                ?? OutOfMemoryKills.read().hint(for: end, since: killsBefore)
            let words = end.words(lastLine: instance.output.present.lastWords(of: end), hint: hint)
            let wait = instance.life.ended(words, at: .now)
            log(end, of: instance, wait)
            try? await Task.sleep(for: wait)
        }
        instance.life.stop()
    }

    private func log(_ end: ProcessEnd, of instance: Instance, _ wait: Duration) {
        let problem = instance.life.problem ?? ""
        instance.notStarted = end.wasStarted ? nil : problem
        if instance.life.isFirstFailure { instance.reason.forget() }
        guard let times = instance.reason.add(problem, of: end) else { return }
        logger.warning(
            end.wasStarted ? "a plugin ended; it is started again" : "a plugin could not be started; it is tried again",
            metadata: ["plugin": "\(instance.name)", "end": "\(problem)", "times": "\(times)", "wait": "\(wait)"])
    }

    /// Starts the process and waits until it ends.
    private func runOnce(_ instance: Instance, parent: FileDescriptor) async -> ProcessEnd {
        let manifest = instance.manifest
        do {
            let arguments = manifest.launchArguments(path: try manifest.executablePath())
            let output = try OutputPipe(name: instance.name) { instance.output.present.append($0, isError: false) }
            defer { output.finish() }
            let error = try OutputPipe(name: instance.name) { instance.output.present.append($0, isError: true) }
            // Read the last output before the caller reports the end of the process.
            defer { error.finish() }
            var options = PlatformOptions()
            options.teardownSequence = [
                .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: manifest.limits.end)
            ]
            // A Ctrl-C on the terminal must reach only the host, which ends its plugins in order.
            options.processGroupID = 0
            guardian.begin(instance.name)
            defer { guardian.finish(instance.name) }
            let outcome = try await Subprocess.run(
                .path("/proc/self/exe"), arguments: arguments,
                environment: manifest.environment(
                    from: environment, host: endpoint, name: instance.name, mark: guardian.mark),
                workingDirectory: FilePath(manifest.folder), platformOptions: options,
                input: .fileDescriptor(parent, closeAfterSpawningProcess: false),
                output: .fileDescriptor(output.writeEnd, closeAfterSpawningProcess: false),
                error: .fileDescriptor(error.writeEnd, closeAfterSpawningProcess: false)
            ) { execution in
                let pid = execution.processIdentifier.value
                let descriptor = execution.processIdentifier.processDescriptor
                instance.pid = pid
                output.closeWriteEnd()
                error.closeWriteEnd()
                // A kernel that is too old for descriptors of processes.
                guard descriptor >= 0 else { return }
                guardian.add(pid)
                guardian.finish(instance.name)
                // The process is reaped when this closure has returned.
                await ProcessGroup(leader: pid).end(afterLeader: descriptor, within: manifest.limits.end)
                guardian.remove(pid)
            }
            return ProcessEnd(outcome.terminationStatus)
        } catch {
            return .notStarted(String(describing: error))
        }
    }

    /// Kills processes that do not attach in time, hang, or do not end.
    private func look() {
        let now = MonotonicInstant.now
        timer.set(for: now + Self.lookInterval)
        let isBehind = isHostBehind(now)
        for instance in instances {
            if isBehind { instance.life.hostIsBusy(at: now) }
            // The limits apply only while there is a process.
            guard let pid = instance.pid, let reason = instance.life.look(at: now) else { continue }
            logger.error(
                "a plugin is killed; it is started again",
                metadata: ["plugin": "\(instance.name)", "pid": "\(pid)", "reason": "\(reason)"])
            // Kill the process group, because the executable may be a script that has started the program. SIGKILL also
            // ends a stopped process.
            kill(-pid, SIGKILL)
        }
    }

    /// Sends SIGTERM to a plugin's process, which is then started again.
    /// - Throws: ``SceneCommandError`` when this host has not started the plugin, or the plugin has no process now.
    func restart(_ name: String) throws {
        guard let instance = instance(named: name) else { throw Self.notStarted(name, among: instances) }
        guard let pid = instance.pid, kill(-pid, SIGTERM) == 0 else {
            throw SceneCommandError(
                .refused, "'\(name)' has no process now: it is \(instance.life.state.rawValue)")
        }
        instance.life.askedToEnd(at: .now)
    }

    /// Returns a page of the output of a plugin's processes.
    /// - Parameters:
    ///   - isPrevious: whether to return only the output of the previous process.
    ///   - number: the last line that the caller knows; `nil` for the first page of one process.
    /// - Throws: ``SceneCommandError`` when this host has not started the plugin.
    func logs(of name: String, isPrevious: Bool, after number: UInt64?) throws -> LogPage {
        guard let instance = instance(named: name) else { throw Self.notStarted(name, among: instances) }
        var page = instance.output.page(isPrevious: isPrevious, after: number)
        page.notStarted = instance.notStarted
        return page
    }

    static func notStarted(_ name: String, among instances: [Instance]) -> SceneCommandError {
        let names = instances.map(\.name).joined(separator: ", ")
        return SceneCommandError(
            .unknownWorker,
            "this host has not started '\(name)'; it has started: \(names.isEmpty ? "none" : names)")
    }
}
