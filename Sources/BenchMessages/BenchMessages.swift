package import CoordinatorKit

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

@ResponderMessages
package protocol BenchMessages {
    func benchEcho(id: Int, name: String, price: Double, isThere: Bool, padding: String) async throws -> BenchReply
    /// Publishes a change of the entry `bench` so many times, each when the one before has surely arrived.
    func benchPublish(rounds: Int) async throws
}

extension ResponderChain: BenchMessages {}

extension AppDependency {
    /// When it was published, in nanoseconds on the machine's monotonic clock.
    @Entry package var bench: UInt64?
}
