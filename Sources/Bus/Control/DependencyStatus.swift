/// An entry of the container.
package struct DependencyStatus: Codable, Hashable, Sendable {
    package var key: String
    /// The value as it was set, in CBOR: what holds it must not make it deeper or larger than a reader takes.
    package var value: [UInt8]
    /// The revision that set it last.
    package var revision: UInt64
    /// The peer that set it last; empty for the host itself.
    package var owner: String
    /// How long that peer has not been attached: the value is the last that it said. `nil` while it is attached.
    package var ownerGoneSeconds: Double?

    package init(key: String, value: [UInt8], revision: UInt64, owner: String, ownerGoneSeconds: Double? = nil) {
        self.key = key
        self.value = value
        self.revision = revision
        self.owner = owner
        self.ownerGoneSeconds = ownerGoneSeconds
    }
}

/// Some of the entries. One that changes between two pages comes again.
package struct DependencyPage: Codable, Hashable, Sendable {
    package var entries: [DependencyStatus]
    /// After which the next page begins; `nil` when there are no more.
    package var next: DependencyPlace?

    package init(entries: [DependencyStatus], next: DependencyPlace?) {
        self.entries = entries
        self.next = next
    }
}
