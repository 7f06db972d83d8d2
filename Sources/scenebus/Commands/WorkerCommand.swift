import PeerLink
import ArgumentParser
import Bus
import Messaging
import OperatorKit

struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "Lists workers, and takes their scenes elsewhere.",
        subcommands: [List.self, Drain.self, Undrain.self, Restart.self])

    struct List: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "Lists the workers.",
            discussion: """
                USED counts the sessions of which a worker has something, and the scenes that it is told to end and has not ended \
                yet. 'scenebus sessions ls --worker NAME' lists its sessions.
                """)
        @OptionGroup var client: ClientOptions

        func execute() async throws {
            let workers = try await client.withHost { try await $0.chain.hostWorkers() }
            if client.json { return try printJSON(workers) }
            guard !workers.isEmpty else { return print("no worker is attached") }
            var table = Table("WORKER", "PID", "VERSION", "SCENES", "USED", "STATE")
            for worker in workers {
                table.add(
                    worker.worker, "\(worker.pid)", worker.software, worker.scenes.joined(separator: " "),
                    "\(worker.sessions + worker.ending)/\(worker.capacity)", worker.isDraining ? "draining" : "open")
            }
            table.print()
        }
    }

    struct Drain: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "drain", abstract: "Moves a worker's scenes elsewhere and gives it no more.",
            discussion: """
                Each scene stands still, its state is stored, and it goes on in another worker on the same page; inputs wait for it. \
                Waits for the last one as long as --timeout says. A scene that no other worker has room for stays where it is, and the \
                command ends with 1. A worker that is started again meanwhile is not drained any more: that ends with 1, too.

                EXAMPLES:
                  scenebus worker drain controlroom-1
                  scenebus worker drain lobby-2 --timeout 60
                """)
        @OptionGroup var client: ClientOptions
        @Argument(help: "The worker; 'scenebus worker ls' lists them.") var worker: String

        func execute() async throws {
            let (left, room) = try await client.withHost { host in
                let (left, _) = try await host.drain(worker, within: client.timeout) { count in
                    if !client.json {
                        StandardError.write(
                            "scenebus: still with \(worker.printable): \(count == 1 ? "1 scene" : "\(count) scenes")")
                    }
                }
                return (left, left.isEmpty ? "" : try await host.room(besides: worker))
            }
            if client.json { try printJSON(["left": left.map(\.session)]) }
            guard left.isEmpty else {
                throw CommandError(.failure,
                    """
                    still with '\(worker)': \(left.named): \(room). Give another worker room, and they follow; \
                    'scenebus worker undrain \(worker)' lets them stay
                    """)
            }
            if !client.json {
                printLine("'\(worker)' has no scenes; 'scenebus worker undrain \(worker)' gives it some again")
            }
        }
    }

    struct Undrain: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "undrain", abstract: "Lets a drained worker have scenes again.")
        @OptionGroup var client: ClientOptions
        @Argument(help: "The worker.") var worker: String

        func execute() async throws {
            let status = try await client.withHost { try await $0.chain.hostDrain(worker: worker, isDraining: false) }
            if client.json { try printJSON(status) }
        }
    }

    struct Restart: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "restart",
            abstract: "Drains workers and restarts them, one after the other: a rolling upgrade.",
            discussion: """
                For workers that the host has started itself: it starts each again, from the executable that is there now. Put \
                the new version in its place first. No scene is without a worker meanwhile, as long as the others have room. \
                Ctrl-C ends it, and gives the worker that is being drained scenes again.

                EXAMPLES:
                  scenebus worker restart controlroom-1 controlroom-2
                """)
        @OptionGroup var client: ClientOptions
        @Argument(help: "The workers, in the order in which they are restarted.") var workers: [String]

        func execute() async throws {
            let host = try await HostClient(client)
            defer { host.close() }
            try await checkNames(with: host)
            let leftDrained = LeftDrained()
            let restarting: @MainActor @Sendable () async throws -> Void = {
                for name in workers { try await restart(name, with: host, leftDrained) }
            }
            if try await untilInterrupted(restarting) {
                throw CommandError(.failure,
                    leftDrained.name == nil ? "interrupted; no worker is left drained by this command" : "interrupted")
            }
            if client.json { try printJSON(["restarted": workers]) }
        }

        @MainActor
        private func checkNames(with host: HostClient) async throws {
            let plugins = try await host.chain.hostPlugins()
            for name in workers where !plugins.contains(where: { $0.instance == name }) {
                throw CommandError(.refused,
                    "the host has not started '\(name)'; drain it, and restart it where it was started. "
                        + "'scenebus plugins ls' lists what the host has started")
            }
        }

        /// Drains a worker and restarts it. Whatever stops that, also Ctrl-C, the worker has scenes again afterwards.
        @MainActor
        private func restart(_ name: String, with host: HostClient, _ leftDrained: LeftDrained) async throws {
            let before = try await host.worker(name)
            guard let before else {
                throw CommandError(.refused, "no worker is called '\(name)'; 'scenebus worker ls' lists them")
            }
            let drained: Int32
            do {
                let (left, pid) = try await host.drain(name, within: client.timeout) { _ in }
                drained = pid
                guard left.isEmpty else {
                    throw CommandError(.failure,
                        """
                        '\(name)' is not restarted: no other worker took \(left.named) in time: \
                        \(try await host.room(besides: name)); start one with room, or allow more with --timeout
                        """)
                }
                try await host.chain.hostRestart(worker: name)
            } catch {
                // One that was drained before stays so.
                guard !before.isDraining else { throw error }
                // Of its own: this task may be cancelled.
                let undrain = Task { @MainActor in
                    _ = try await host.chain.hostDrain(worker: name, isDraining: false)
                }
                do {
                    try await undrain.value
                } catch let second {
                    leftDrained.name = name
                    StandardError.write(
                        "scenebus: '\(name)' is drained still (\(CommandError(second).message.printable)); "
                            + "'scenebus worker undrain \(name)' gives it scenes again")
                }
                throw error
            }
            let after = try await host.worker(name, otherThan: drained, within: client.timeout)
            if !client.json {
                printLine("\(name): process \(drained) > \(after.pid), version \(after.software)")
            }
        }
    }
}

/// The worker that a command has drained and could not let have scenes again.
@MainActor
private final class LeftDrained {
    var name: String?
}

extension [SessionStatus] {
    /// Their names, each with what keeps it where it is, as far as that is known.
    fileprivate var named: String {
        map { $0.session + ($0.problem.map { " (\($0))" } ?? "") }.joined(separator: ", ")
    }
}

extension HostClient {
    /// How often a command looks again at what takes its time.
    private static let interval = Duration.milliseconds(100)

    /// Drains a worker, and waits until its last scene is elsewhere.
    /// - Parameter progress: called with the number of scenes that it still has, each time it is another.
    /// - Returns: the sessions that it still has when the time is over, and its process.
    /// - Throws: ``CommandError`` when it is not attached then: what it has, it brings back with it. Also when another process has its
    ///   name meanwhile, or somebody else lets it have scenes again.
    fileprivate func drain(
        _ worker: String, within seconds: Double, progress: @MainActor (Int) -> Void
    ) async throws -> (left: [SessionStatus], pid: Int32) {
        let end = ContinuousClock.now + .seconds(seconds)
        let drained = try await chain.hostDrain(worker: worker, isDraining: true)
        var found: WorkerStatus? = drained
        var shown = 0
        while found?.sessions != 0, ContinuousClock.now < end {
            if let count = found?.sessions, count != shown {
                progress(count)
                shown = count
            }
            try await Task.sleep(for: Self.interval)
            found = try await self.worker(worker)
            guard let now = found, now.pid != drained.pid || !now.isDraining else { continue }
            let reason =
                now.pid != drained.pid
                ? "'\(worker)' was started again meanwhile (process \(drained.pid) > \(now.pid)) and is not drained"
                : "'\(worker)' is not drained any more: it was undrained, or the host was started again"
            throw CommandError(.failure, "\(reason): repeat the command")
        }
        guard let last = found else {
            throw CommandError(.failure,
                "'\(worker)' is not attached any more; when it comes back, it is drained still. See 'scenebus sessions ls'"
            )
        }
        return (last.sessions == 0 ? [] : try await chain.hostSessions(of: worker), drained.pid)
    }

    /// A worker, if it is attached.
    fileprivate func worker(_ name: String) async throws -> WorkerStatus? {
        do {
            return try await chain.hostWorker(worker: name)
        } catch let error as RemoteError where error.sceneCommandCode == .unknownWorker {
            return nil
        }
    }

    /// What room there is besides a worker's, in words.
    fileprivate func room(besides name: String) async throws -> String {
        let others = try await chain.hostWorkers().filter { $0.worker != name }
        if others.isEmpty { return "no other worker is attached" }
        let shown = others.prefix(8).map {
            "\($0.worker) runs \($0.sessions) of \($0.capacity)\($0.isDraining ? ", and is being drained" : "")"
        }
        return shown.joined(separator: ", ") + (others.count > 8 ? " and \(others.count - 8) more" : "")
    }

    /// Waits until a worker is attached with another process.
    fileprivate func worker(_ name: String, otherThan pid: Int32, within seconds: Double) async throws -> WorkerStatus {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            if let found = try await worker(name), found.pid != pid { return found }
            guard ContinuousClock.now < end else {
                throw CommandError(.failure,
                    "'\(name)' has ended and is not back after \(seconds) s: is it started by this host? see 'scenebus plugins ls'"
                )
            }
            try await Task.sleep(for: Self.interval)
        }
    }
}
