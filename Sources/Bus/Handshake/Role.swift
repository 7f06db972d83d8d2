/// What a peer is to the host: it decides what the peer may send, read and provide.
public enum Role: String, Codable, Sendable, CaseIterable {
    /// Runs scenes.
    case worker
    /// Adds responders, services and entries.
    case plugin
    /// Reads the tap.
    case monitor
    /// Asks and commands: the command line.
    case `operator`
}
