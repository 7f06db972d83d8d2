import BenchMessages
import LabClock
import Messaging
import PluginKit

/// Handles the benchmark's messages in a plugin. The host's delegate handles them when no plugin runs.
final class BenchHandler: PluginResponder, BenchMessages {
    func benchEcho(id: Int, name: String, price: Double, isThere: Bool, padding: String) async throws -> BenchReply {
        BenchReply(id: id, name: name, price: price, isThere: isThere, padding: padding)
    }

    func benchPublish(rounds: Int) async throws {
        for _ in 0..<rounds {
            // The pause lets the previous round end, so that rounds do not share queues.
            try await Task.sleep(for: .milliseconds(50))
            plugin?.appDependency.bench = MonotonicTime.nanoseconds
        }
    }
}
