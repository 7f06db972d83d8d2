/// The host's record of one entry of its container.
package struct DependencyRecord: Hashable, Sendable {
    /// The encoded value; `nil` for a removed entry, whose record is kept so that peers learn of the removal.
    package var value: [UInt8]?
    package var revision: UInt64
    /// The peer that set it; empty for the host itself.
    package var owner: String
}
