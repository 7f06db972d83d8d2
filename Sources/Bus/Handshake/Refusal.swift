/// The host's reply to a peer that it does not accept.
package struct Refusal: Codable, Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Codable, Sendable {
        /// No protocol version in common.
        case version
        /// The hello cannot be decoded, exceeds a limit, or declares a message or entry that is reserved.
        case malformed
        /// Another process has that name.
        case taken
        /// A plugin that the host started declares more than its manifest lists. A link also uses this code for a
        /// socket folder that is not safe.
        case unauthorized
        /// The host has no room for another link.
        case full
        /// Many peers are attaching, and the host admits them at a limited rate.
        case busy
        /// The host does not know the link. The peer must send a new hello.
        case unknownLink
    }

    package var code: Code
    package var reason: String
    /// How long the peer should wait before its next hello, in milliseconds; `nil` for its own growing wait.
    package var wait: Int?
    /// The versions that the host speaks.
    package var versions: ProtocolVersionRange
    /// The versions that the peer speaks; `nil` when the hello could not be decoded.
    package var peerVersions: ProtocolVersionRange?

    private static let maximumReason = 4096

    package init(_ code: Code, _ reason: String, peerVersions: ProtocolVersionRange? = nil) {
        self.code = code
        // A reason may contain text of any length from a peer.
        self.reason =
            reason.utf8.count > Self.maximumReason ? String(reason.prefix(Self.maximumReason / 8)) + "…" : reason
        versions = .current
        self.peerVersions = peerVersions
    }

    /// Whether the host may accept the same hello later.
    package var isTemporary: Bool {
        switch code {
        case .taken, .full, .busy, .unknownLink: true
        case .version, .malformed, .unauthorized: false
        }
    }

    package var description: String { reason }
}
