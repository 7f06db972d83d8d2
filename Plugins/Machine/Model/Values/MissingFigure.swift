/// A figure that is missing from a sample, and the reason. In a container, for instance, some files of `/proc` don't
/// exist.
public struct MissingFigure: Codable, Hashable, Sendable {
    /// The figure: `identity`, `cpu`, `memory`, `load`, `disks`, `disk:` with a mount point, `disk-traffic`, `networks`
    /// or `processes`.
    public let figure: String
    /// The reason, as human-readable text.
    public let reason: String

    /// - Parameters:
    ///   - figure: The figure.
    ///   - reason: The reason, as human-readable text.
    public init(figure: String, reason: String) {
        self.figure = figure
        self.reason = reason
    }
}
