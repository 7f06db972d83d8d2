/// What a machine gets that has replaced its key.
package struct KeyRotation: Codable, Hashable, Sendable {
    /// The name of its key, which is the same as before.
    package var name: String
    /// When the old key stops being valid, in seconds since 1970.
    package var until: Double

    package init(name: String, until: Double) { (self.name, self.until) = (name, until) }
}
