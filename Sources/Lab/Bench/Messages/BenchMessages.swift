package import Messaging

/// The reply to the request that the benchmark measures. Like that request, it has five fields, as in a real request.
@CBORItem package struct BenchReply: Codable, Hashable, Sendable {
    package var id: Int
    package var name: String
    package var price: Double
    package var isThere: Bool
    package var padding: String

    package init(id: Int, name: String, price: Double, isThere: Bool, padding: String) {
        self.id = id
        self.name = name
        self.price = price
        self.isThere = isThere
        self.padding = padding
    }
}

/// The durations of the turns of a host's loop, in milliseconds.
@CBORItem package struct BenchTurns: Codable, Hashable, Sendable {
    package var longest: Double
    /// The longest processor time of a turn.
    package var longestProcessor: Double
    /// The processor time of all turns.
    package var processor: Double

    package init(longest: Double, longestProcessor: Double, processor: Double) {
        self.longest = longest
        self.longestProcessor = longestProcessor
        self.processor = processor
    }
}

@ResponderMessages
package protocol BenchMessages {
    func benchEcho(id: Int, name: String, price: Double, isThere: Bool, padding: String) async throws -> BenchReply
    /// Publishes a number of changes of the entry `bench`, with a pause in which each change arrives.
    func benchPublish(rounds: Int) async throws
    /// Returns the durations of the turns of the host's loop since the last call.
    func benchTurns() async throws -> BenchTurns
}

extension ResponderChain: BenchMessages {}

extension AppDependency {
    /// The time of publication, in nanoseconds on the machine's monotonic clock.
    @Entry package var bench: UInt64?
}
