package import Messaging

/// The request that the bench measures: five fields, as a real one has.
package struct BenchReply: Codable, Hashable, Sendable {
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

/// What the turns of a host's loop have taken, in milliseconds.
package struct BenchTurns: Codable, Hashable, Sendable {
    package var longest: Double
    /// The most processor time of one.
    package var longestProcessor: Double
    /// The processor time of all.
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
    /// Publishes a change of the entry `bench` so many times, each when the one before has surely arrived.
    func benchPublish(rounds: Int) async throws
    /// What the turns of the host's loop have taken since this was asked last.
    func benchTurns() async throws -> BenchTurns
}

extension ResponderChain: BenchMessages {}

extension AppDependency {
    /// When it was published, in nanoseconds on the machine's monotonic clock.
    @Entry package var bench: UInt64?
}
