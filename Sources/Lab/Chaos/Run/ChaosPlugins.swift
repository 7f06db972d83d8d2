import LabClock
import ChaosHistory
import Messaging
import PluginKit

/// The plugin that handles requests and records their effects.
@MainActor
final class Ledger: PluginResponder, ChaosMessages {
    private let log: ChaosLog
    private var counter = Counter(life: MonotonicTime.nanoseconds, value: 0)

    init(_ log: ChaosLog) {
        self.log = log
    }

    func chaosPlain(id: String) async throws -> String { try await apply(id) }
    func chaosIdempotent(id: String) async throws -> String { try await apply(id) }
    func chaosOnce(id: String) async throws -> String { try await apply(id) }
    func chaosPost(id: String) { log.write(.applied(id: id)) }

    private func apply(_ id: String) async throws -> String {
        log.write(.applied(id: id))
        // The delay makes it more likely that a fault occurs between the effect and the reply.
        if Int.random(in: 0..<4) == 0 { try await Task.sleep(for: .milliseconds(Int.random(in: 5...250))) }
        return id
    }

    func chaosWrite(id: String) async throws -> Counter {
        log.write(.applied(id: id))
        counter.value += 1
        publish()
        return counter
    }

    func publish() {
        log.write(.set(entry: WatchedEntry.chaosLedger.rawValue, value: counter))
        plugin?.appDependency.chaosLedger = counter
    }
}

/// The plugin that changes entries continuously.
@MainActor
final class Ticker: PluginResponder, ChaosControlMessages {
    private static let interval = Duration.milliseconds(100)
    private static let padding = String(repeating: "scenebus", count: 5000)

    private let log: ChaosLog
    private var counter = Counter(life: MonotonicTime.nanoseconds, value: 0)
    private var isQuiet = false

    init(_ log: ChaosLog) {
        self.log = log
    }

    func run() async throws {
        while !isQuiet {
            counter.value += 1
            tick()
            try await Task.sleep(for: Self.interval)
        }
    }

    private func tick() {
        guard let plugin else { return }
        log.write(.set(entry: WatchedEntry.chaosTick.rawValue, value: counter))
        log.write(.set(entry: WatchedEntry.chaosLarge.rawValue, value: counter))
        var container = plugin.appDependency
        container.chaosTick = counter
        container.chaosLarge = LargeEntry(counter: counter, padding: Self.padding)
        plugin.appDependency = container
    }

    func chaosQuiet() async throws {
        isQuiet = true
        plugin?.appDependency.chaosIsQuiet = true
    }
}
