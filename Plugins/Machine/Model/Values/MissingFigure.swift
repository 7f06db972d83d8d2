/// A figure that a sample doesn't have, and why: in a container some files of `/proc` aren't there.
public struct MissingFigure: Codable, Hashable, Sendable {
    /// Which one: `identity`, `cpu`, `memory`, `load`, `disks`, `disk:` with a mount point, `disk-traffic`, `networks`
    /// or `processes`.
    public let figure: String
    /// Why, for people.
    public let reason: String

    /// - Parameters:
    ///   - figure: Which one.
    ///   - reason: Why, for people.
    public init(figure: String, reason: String) {
        self.figure = figure
        self.reason = reason
    }
}
