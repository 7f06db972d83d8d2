/// What the host knows of one entry of its container.
package struct DependencyRecord: Hashable, Sendable {
    /// The encoded value; `nil` for an entry that was removed, kept so that a removal is not missed.
    package var value: [UInt8]?
    package var revision: UInt64
    /// The peer that set it; empty for the host itself.
    package var owner: String
}
