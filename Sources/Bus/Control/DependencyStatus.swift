/// An entry of the container.
package struct DependencyStatus: Codable, Hashable, Sendable {
    package var key: String
    /// The value in CBOR, exactly as it was set. It is carried as bytes, because nesting it would increase its depth
    /// and size, which could then exceed a reader's limits.
    package var value: [UInt8]
    /// The revision that last set it.
    package var revision: UInt64
    /// The peer that last set it; empty for the host itself.
    package var owner: String
    /// The seconds since that peer detached; the value is then the last one that it set. `nil` while the peer is
    /// attached.
    package var ownerGoneSeconds: Double?

    package init(key: String, value: [UInt8], revision: UInt64, owner: String, ownerGoneSeconds: Double? = nil) {
        self.key = key
        self.value = value
        self.revision = revision
        self.owner = owner
        self.ownerGoneSeconds = ownerGoneSeconds
    }
}

/// A page of the container's entries. An entry that changes between two pages is listed again.
package struct DependencyPage: Codable, Hashable, Sendable {
    package var entries: [DependencyStatus]
    /// The place after which the next page begins; `nil` when this is the last page.
    package var next: DependencyPlace?

    package init(entries: [DependencyStatus], next: DependencyPlace?) {
        self.entries = entries
        self.next = next
    }
}
