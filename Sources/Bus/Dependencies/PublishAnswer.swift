/// The host's answer to a peer that has set entries: which of them it has refused.
package struct PublishAnswer: Codable, Hashable, Sendable {
    /// An entry that keeps its earlier value.
    package struct Refused: Codable, Hashable, Sendable {
        package var key: String
        package var reason: String

        package init(_ key: String, _ reason: String) { (self.key, self.reason) = (key, reason) }
    }

    /// How many publishes of a peer may be unanswered at a time.
    package static let maximumUnanswered = 64
    /// The maximum number of refused entries that one answer names.
    private static let maximumNamed = 32
    /// The maximum length of a key in an answer. It leaves room for a session's identifier.
    private static let keyLength = 192

    /// The entries that were refused, or some of them.
    package private(set) var refused: [Refused] = []
    /// How many more were refused.
    package private(set) var more = 0

    package init() {}

    package mutating func refuse(_ keys: some Sequence<String>, _ reason: String) {
        for key in keys {
            guard refused.count < Self.maximumNamed else {
                more += 1
                continue
            }
            refused.append(Refused(String(key.prefix(Self.keyLength)), String(reason.prefix(200))))
        }
    }
}
