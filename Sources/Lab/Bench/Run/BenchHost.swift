import LabClock
import OperatorKit
import ArgumentParser
import BenchMessages
import CoordinatorKit
import Glibc
import PeerLink
import Logging
import SceneHost
import ZeroMQ

/// The host that the benchmark measures, in its own process. Its application delegate handles the benchmark's messages.
struct BenchHostCommand: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "host", shouldDisplay: false)

    @Option var folder: String
    @Option var listen: [String] = []
    @Option var store: String?
    @Option var keys: String?
    @Flag var measuresTurns = false
    @Flag var handlesNothing = false

    func execute() async throws {
        var configuration = HostConfiguration()
        configuration.directory = HostDirectory(folder: folder)
        configuration.listen = listen
        // For as long as a benchmark runs, and only where it is told to measure TCP.
        configuration.isInsecure = keys == nil
        configuration.keys = keys
        configuration.store = store
        var logger = Logger(label: "scenebus-bench") {
            StreamLogHandler(label: $0, stream: StandardError.Stream(label: $0))
        }
        logger.logLevel = .error
        TurnLimits.stretch(by: Slowdown.current)
        if measuresTurns { _ = MainLoop.takeTurnTimes() }
        let host = AppHost(
            configuration, delegate: handlesNothing ? AppDelegate() : BenchDelegate(),
            handles: handlesNothing ? [] : [BenchMessagesList.self], logger: logger)
        host.onReady = { endpoints in
            print("ready \(endpoints.joined(separator: " "))")
            fflush(nil)
        }
        let running: @MainActor @Sendable () async throws -> Void = { try await host.run() }
        let parent: @MainActor @Sendable () async throws -> Void = { await endOfInput() }
        try await withThrowingTaskGroup { group in
            group.addTask(operation: running)
            group.addTask(operation: parent)
            try await group.next()
            group.cancelAll()
        }
    }
}

private final class BenchDelegate: AppDelegate, BenchMessages {
    func benchEcho(id: Int, name: String, price: Double, isThere: Bool, padding: String) async throws -> BenchReply {
        BenchReply(id: id, name: name, price: price, isThere: isThere, padding: padding)
    }

    func benchTurns() async throws -> BenchTurns {
        let times = MainLoop.takeTurnTimes()
        return BenchTurns(
            longest: times.longest / .milliseconds(1), longestProcessor: times.longestProcessor / .milliseconds(1),
            processor: times.processor / .milliseconds(1))
    }

    func benchPublish(rounds: Int) async throws {
        for _ in 0..<rounds {
            // The pause lets the previous round end, so that rounds do not share queues.
            try await Task.sleep(for: .milliseconds(50))
            appDependency?.bench = MonotonicTime.nanoseconds
        }
    }
}
