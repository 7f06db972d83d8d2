package import Messaging

extension MessageError {
    /// Whether the host is away, ends or is too busy, so that a request that only reads can be sent again later.
    package var isOfAwayHost: Bool { [.peerLost, .timeout, .draining, .overloaded].contains(code) }
}
