import PeerLink
import ArgumentParser
import Bus
import Messaging
import OperatorKit

struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "Lists, drains and restarts workers.",
        subcommands: [List.self, Drain.self, Undrain.self, Restart.self])

    struct List: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "Lists the workers.",
            discussion: """
                USED is the number of sessions assigned to a worker, plus the scenes that it has been told to end but \
                has not ended yet. 'scenebus sessions ls --worker NAME' lists its sessions.
                """)
        @OptionGroup var client: ClientOptions
        @OptionGroup var watching: WatchOptions

        func execute() async throws {
            try await watching.show(of: client) { try listing(of: try await $0.chain.hostWorkers()) }
        }

        private func listing(of workers: [WorkerStatus]) throws -> TableListing {
            var table = Table("WORKER", "PID", "VERSION", "SCENES", "USED", "STATE")
            for worker in workers {
                table.add(
                    worker.worker, "\(worker.pid)", worker.software, worker.scenes.joined(separator: " "),
                    "\(worker.sessions + worker.ending)/\(worker.capacity)", worker.isDraining ? "draining" : "open")
            }
            return try TableListing(table, whenEmpty: "no worker is attached", json: workers)
        }
    }

    struct Drain: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "drain", abstract: "Moves a worker's scenes to other workers and assigns it no new ones.",
            discussion: """
                Each scene is suspended, its state is stored, and it resumes in another worker on the same page. \
                Inputs wait meanwhile. The command waits up to --timeout seconds for the last scene.

                It ends with 1 when scenes are left because no other worker has room for them. It also ends with 1 \
                when the worker is restarted meanwhile, because a restarted worker is no longer drained. After Ctrl-C \
                the worker stays drained, and the command says how to undo that.

                EXAMPLES:
                  scenebus worker drain controlroom-1
                  scenebus worker drain lobby-2 --timeout 60
                """)
        @OptionGroup var client: ClientOptions
        @Argument(help: "The worker; 'scenebus worker ls' lists them.") var worker: String

        func execute() async throws {
            let host = try await HostClient(client)
            defer { host.close() }
            let result = Result()
            let draining: @MainActor @Sendable () async throws -> Void = {
                result.left = try await host.drain(worker, within: client.timeout) { count in
                    if !client.json {
                        StandardError.write(
                            "scenebus: still to move from \(worker.printable): \(count == 1 ? "1 scene" : "\(count) scenes")"
                        )
                    }
                }.left
                if !result.left.isEmpty { result.room = try await host.room(besides: worker) }
            }
            if try await untilInterrupted(draining) {
                throw CommandError(
                    .failure,
                    """
                    interrupted: '\(worker)' stays drained, and its scenes go on moving; \
                    'scenebus worker undrain \(worker)' makes it available again
                    """)
            }
            let (left, room) = (result.left, result.room)
            if client.json { try printJSON(["left": left.map(\.session)]) }
            guard left.isEmpty else {
                throw CommandError(
                    .failure,
                    """
                    sessions left on '\(worker)': \(left.named): \(room). They move as soon as another worker has \
                    room; 'scenebus worker undrain \(worker)' keeps them there
                    """)
            }
            if !client.json {
                printLine("'\(worker)' is drained; 'scenebus worker undrain \(worker)' makes it available again")
            }
        }
    }

    /// What a drain has found.
    @MainActor
    private final class Result {
        var left: [SessionStatus] = []
        var room = ""
    }

    struct Undrain: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "undrain", abstract: "Makes a drained worker available for scenes again.")
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
            abstract: "Drains and restarts workers one after the other, for a rolling upgrade.",
            discussion: """
                For workers that the host has started. Install the new version of their executable first: the host \
                starts each worker again from the executable that is in place then. Every scene keeps running as long \
                as the other workers have room. Ctrl-C ends the command and undrains the worker that is being drained.

                EXAMPLES:
                  scenebus worker restart controlroom-1 controlroom-2
                """)
        @OptionGroup var client: ClientOptions
        @Argument(help: "The workers, in the order in which to restart them.") var workers: [String]

        func execute() async throws {
            let host = try await HostClient(client)
            defer { host.close() }
            try await checkNames(with: host)
            let leftDrained = LeftDrained()
            let restarting: @MainActor @Sendable () async throws -> Void = {
                for name in workers { try await restart(name, with: host, leftDrained) }
            }
            if try await untilInterrupted(restarting) {
                throw CommandError(
                    .failure,
                    leftDrained.name == nil ? "interrupted; this command has left no worker drained" : "interrupted")
            }
            if client.json { try printJSON(["restarted": workers]) }
        }

        @MainActor
        private func checkNames(with host: HostClient) async throws {
            let plugins = try await host.chain.hostPlugins()
            for name in workers where !plugins.contains(where: { $0.instance == name }) {
                throw CommandError(
                    .refused,
                    "the host has not started '\(name)'; drain it, and restart it where it was started. "
                        + "'scenebus plugins ls' lists the processes that the host has started")
            }
        }

        /// Drains a worker and restarts it. After a failure or Ctrl-C the worker is undrained.
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
                    throw CommandError(
                        .failure,
                        """
                        '\(name)' was not restarted, because no other worker took over \(left.named) in time: \
                        \(try await host.room(besides: name)); start another worker, or raise --timeout
                        """)
                }
                try await host.chain.hostRestart(worker: name)
            } catch {
                // A worker that was drained before the command stays drained.
                guard !before.isDraining else { throw error }
                // An unstructured task, because the current task may be cancelled.
                let undrain = Task { @MainActor in
                    _ = try await host.chain.hostDrain(worker: name, isDraining: false)
                }
                do {
                    try await undrain.value
                } catch let second {
                    leftDrained.name = name
                    StandardError.write(
                        "scenebus: '\(name)' is still drained (\(CommandError(second).message.printable)); "
                            + "'scenebus worker undrain \(name)' makes it available again")
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

/// The worker that a command has drained and could not undrain.
@MainActor
private final class LeftDrained {
    var name: String?
}

extension [SessionStatus] {
    /// The names of the sessions, each with its problem, if known.
    fileprivate var named: String {
        map { $0.session + ($0.problem.map { " (\($0))" } ?? "") }.joined(separator: ", ")
    }
}

extension HostClient {
    /// The time between two polls of the host.
    private static let interval = Duration.milliseconds(100)

    /// Drains a worker, and waits until its last scene has moved.
    /// - Parameters:
    ///   - worker: the worker's name.
    ///   - seconds: how long to wait.
    ///   - progress: called with the number of scenes that are left, each time it changes.
    /// - Returns: the sessions that are left after the time, and the worker's process id.
    /// - Throws: ``CommandError`` when the worker is not attached at the end, when it was restarted meanwhile, or when
    ///   it was undrained meanwhile.
    fileprivate func drain(
        _ worker: String, within seconds: Double, progress: @MainActor (Int) -> Void
    ) async throws -> (left: [SessionStatus], pid: Int32) {
        let end = MonotonicInstant.now + .seconds(seconds)
        let drained = try await chain.hostDrain(worker: worker, isDraining: true)
        var found: WorkerStatus? = drained
        var shown = 0
        while found?.sessions != 0, MonotonicInstant.now < end {
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
                : "'\(worker)' is no longer drained: it was undrained, or the host was restarted"
            throw CommandError(.failure, "\(reason): repeat the command")
        }
        guard let last = found else {
            throw CommandError(
                .failure,
                "'\(worker)' is no longer attached; it stays drained when it reconnects. See 'scenebus sessions ls'"
            )
        }
        return (last.sessions == 0 ? [] : try await chain.hostSessions(of: worker), drained.pid)
    }

    /// The status of a worker; `nil` if it is not attached.
    fileprivate func worker(_ name: String) async throws -> WorkerStatus? {
        do {
            return try await chain.hostWorker(worker: name)
        } catch let error as RemoteError where error.sceneCommandCode == .unknownWorker {
            return nil
        }
    }

    /// Describes the free capacity of all other workers.
    fileprivate func room(besides name: String) async throws -> String {
        let others = try await chain.hostWorkers().filter { $0.worker != name }
        if others.isEmpty { return "no other worker is attached" }
        let shown = others.prefix(8).map {
            "\($0.worker) runs \($0.sessions) of \($0.capacity)\($0.isDraining ? ", and is being drained" : "")"
        }
        return shown.joined(separator: ", ") + (others.count > 8 ? " and \(others.count - 8) more" : "")
    }

    /// Waits until a worker is attached with a new process.
    fileprivate func worker(_ name: String, otherThan pid: Int32, within seconds: Double) async throws -> WorkerStatus {
        let end = MonotonicInstant.now + .seconds(seconds)
        while true {
            if let found = try await worker(name), found.pid != pid { return found }
            guard MonotonicInstant.now < end else {
                throw CommandError(
                    .failure,
                    "'\(name)' has ended and is not attached again after \(seconds) s; see 'scenebus plugins ls'"
                )
            }
            try await Task.sleep(for: Self.interval)
        }
    }
}
