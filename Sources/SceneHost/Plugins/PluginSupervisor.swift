import Bus
import CBOR
import Foundation
import Glibc
import Link
import Logging
import Subprocess
import SystemPackage

/// Runs the processes of the plugins: starts them, starts them again with back-off when they end, and ends them with the
/// host.
@MainActor
final class PluginSupervisor {
    /// One process of one plugin.
    @MainActor
    final class Instance {
        enum State: String {
            case starting, attached, waiting, failed, ended
        }

        let manifest: PluginManifest
        /// The peer name it says hello with.
        let name: String
        var state = State.starting
        var pid: Int32?
        var restarts = 0
        var problem: String?

        init(_ manifest: PluginManifest, name: String) {
            self.manifest = manifest
            self.name = name
        }

        var status: PluginStatus {
            PluginStatus(
                id: manifest.id, instance: name, version: manifest.version, state: state.rawValue, pid: pid,
                restarts: restarts, handles: manifest.handles, provides: manifest.provides, scenes: manifest.scenes,
                problem: problem)
        }
    }

    /// The first wait before a process is started again; doubled each time, up to the maximum.
    private static let backoff = Duration.milliseconds(200)
    private static let maximumBackoff = Duration.seconds(10)
    /// A process that ran this long has recovered: the next wait is the first again.
    private static let healthy = Duration.seconds(10)
    /// How long a process has to end when it is asked to.
    private static let endTimeout = Duration.seconds(3)

    private(set) var instances: [Instance] = []
    private(set) var problems: [ManifestError] = []
    private let endpoint: String
    private let logger: Logger
    private let onEnd: @MainActor (_ pid: Int32, _ name: String, _ wasKilled: Bool) -> Void

    /// - Parameters:
    ///   - endpoint: where the plugins attach.
    ///   - overrides: values that replace those of the manifests' configurations, by plugin and key path.
    ///   - onEnd: called when a process has ended.
    init(
        folder: String, endpoint: String, overrides: [String], logger: Logger,
        onEnd: @escaping @MainActor (_ pid: Int32, _ name: String, _ wasKilled: Bool) -> Void
    ) throws {
        self.onEnd = onEnd
        self.endpoint = endpoint
        self.logger = logger
        let found = try PluginManifest.all(in: folder)
        problems = found.problems
        for problem in problems {
            logger.error("a plugin is left out", metadata: ["reason": "\(problem)"])
        }
        for manifest in try ConfigurationOverride.apply(overrides, to: found.manifests) {
            for number in 1...manifest.instances {
                instances.append(
                    Instance(
                        manifest, name: manifest.instances == 1 ? manifest.id : "\(manifest.id)-\(number)"))
            }
        }
    }

    /// The names of the scene workers among them.
    var workerNames: Set<String> { Set(instances.filter { !$0.manifest.scenes.isEmpty }.map(\.name)) }

    func instance(named name: String) -> Instance? { instances.first { $0.name == name } }

    /// Runs all processes until the task is cancelled, then ends them.
    func run() async {
        // Every plugin's standard input: the host holds the other end, whose closing says that the host is gone.
        let parent: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
        do {
            parent = try FileDescriptor.pipe()
        } catch {
            for instance in instances {
                instance.state = .failed
                instance.problem = "no pipe for its standard input: \(error)"
            }
            return
        }
        // A plugin that inherited the writing end would keep itself and the others alive.
        for end in [parent.readEnd, parent.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        await withTaskGroup { group in
            for instance in instances {
                let body: @MainActor @Sendable () async -> Void = { await self.run(instance, parent: parent.readEnd) }
                group.addTask(operation: body)
            }
        }
        try? parent.readEnd.close()
        try? parent.writeEnd.close()
    }

    private func run(_ instance: Instance, parent: FileDescriptor) async {
        var failures = 0
        while !Task.isCancelled {
            let started = ContinuousClock.now
            instance.state = .starting
            let (end, wasKilled) = await runOnce(instance, parent: parent)
            if let pid = instance.pid { onEnd(pid, instance.name, wasKilled) }
            instance.pid = nil
            if Task.isCancelled { break }
            failures = ContinuousClock.now - started > Self.healthy ? 0 : failures + 1
            let wait = min(Self.backoff * (1 << min(max(failures - 1, 0), 8)), Self.maximumBackoff)
            instance.state = .waiting
            instance.problem = end
            instance.restarts += 1
            logger.warning(
                "a plugin ended; it is started again",
                metadata: ["plugin": "\(instance.name)", "end": "\(end)", "wait": "\(wait)"])
            try? await Task.sleep(for: wait)
        }
        instance.state = .ended
    }

    /// Starts the process and waits for its end.
    /// - Returns: how it ended, and whether that was by a signal, without any last words.
    private func runOnce(_ instance: Instance, parent: FileDescriptor) async -> (end: String, wasKilled: Bool) {
        let manifest = instance.manifest
        do {
            let path = try manifest.executablePath()
            var options = PlatformOptions()
            options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: Self.endTimeout)]
            // A Ctrl-C on the host's terminal is the host's to handle: it ends its plugins in order.
            options.processGroupID = 0
            let arguments: Arguments = manifest.scenes.isEmpty ? [] : ["--capacity", String(manifest.capacity)]
            let outcome = try await Subprocess.run(
                .path(FilePath(path)), arguments: arguments,
                environment: .inherit.updating([
                    "SCENEBUS_HOST": endpoint,
                    "SCENEBUS_PEER": instance.name,
                    "SCENEBUS_PARENT": "stdin",
                    "SCENEBUS_CONFIGURATION": manifest.configuration.json,
                ]),
                workingDirectory: FilePath(manifest.folder), platformOptions: options,
                input: .fileDescriptor(parent, closeAfterSpawningProcess: false),
                output: .fileDescriptor(.standardError, closeAfterSpawningProcess: false),
                error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false)
            ) { execution in
                instance.pid = execution.processIdentifier.value
            }
            var wasKilled = false
            if case .signaled = outcome.terminationStatus { wasKilled = true }
            return (String(describing: outcome.terminationStatus), wasKilled)
        } catch {
            return (String(describing: error), false)
        }
    }

    /// Ends a plugin's process, as an operator would: it is started again.
    /// - Throws: ``SceneCommandError`` when this host has not started it, or it has no process now.
    func restart(_ name: String) throws {
        guard let instance = instance(named: name) else { throw Self.notStarted(name) }
        // Its group: the executable may be a script that has started the program.
        guard let pid = instance.pid, kill(-pid, SIGTERM) == 0 else {
            throw SceneCommandError(code: "refused", "'\(name)' has no process now: it is \(instance.state.rawValue)")
        }
    }

    static func notStarted(_ name: String) -> SceneCommandError {
        SceneCommandError(code: "refused", "this host has not started '\(name)': restart it where it was started")
    }

    // MARK: - Links

    /// Checks that a peer which has the name of a plugin is its process, and what it says against the manifest.
    /// - Returns: the refusal; `nil` when it fits, or when nobody here has that name.
    func refusal(of hello: Hello) -> Refusal? {
        guard let instance = instance(named: hello.peer) else { return nil }
        guard let pid = instance.pid else {
            // Its own process can be faster than the news of its start; it says hello again, a stranger in vain.
            return Refusal(.taken, "'\(hello.peer)' is a plugin that this host is about to start; try again")
        }
        // What a plugin starts itself, such as the program behind a script, is of its process group.
        guard hello.pid == pid || getpgid(hello.pid) == pid else {
            return Refusal(
                .taken, "'\(hello.peer)' is a plugin that this host runs as process \(pid); choose another name")
        }
        let manifest = instance.manifest
        for (what, said, allowed) in [
            ("handles", hello.handles, manifest.handles), ("provides", hello.provides, manifest.provides),
            ("services", hello.services, manifest.services), ("scenes", hello.scenes, manifest.scenes),
        ] {
            let extra = said.filter { !allowed.contains($0) }
            if !extra.isEmpty {
                let reason =
                    "'\(hello.peer)' \(what) \(extra.joined(separator: ", ")), which its manifest does not list"
                instance.problem = reason
                return Refusal(.unauthorized, reason)
            }
        }
        return nil
    }

    func attached(_ link: HostLink) {
        guard let instance = instance(named: link.name) else { return }
        instance.state = .attached
        instance.problem = nil
    }

    func detached(_ link: HostLink, reason: String) {
        guard let instance = instance(named: link.name), instance.state == .attached else { return }
        instance.state = .starting
        instance.problem = reason
    }
}
