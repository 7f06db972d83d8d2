extension LinkMachine {
    /// Why a link was closed.
    package enum Loss: Hashable, Sendable, CustomStringConvertible {
        case noAnswer
        case silent(Duration)
        /// Nothing arrives from the publisher, even after a new subscription.
        case publisherSilent(Duration)
        case refused(Refusal)
        /// The handshake of a socket has failed. The text says why, and what to do.
        case handshakeFailed(String)
        case hostEnded
        case stopped

        package var description: String {
            switch self {
            case .noAnswer: return "the host does not answer"
            case .silent(let duration): return "the host has been silent for \(duration.inTenths)"
            case .publisherSilent(let duration):
                return "nothing has come from the host's publisher for \(duration.inTenths)"
            // The host's words are for the author of a peer.
            case .refused(let refusal) where refusal.code == .unknownLink:
                return
                    "the host no longer has this link: it was started again, has heard nothing for too long, or a key has changed"
            case .refused(let refusal): return "the host refused the link: \(refusal.reason)"
            case .handshakeFailed(let reason): return reason
            case .hostEnded: return "the host has ended"
            case .stopped: return "the link was closed"
            }
        }
    }

    /// Ends the current attempt because the handshake of the connection has failed, for example because the host does not
    /// know this peer's key.
    /// - Parameter reason: why, and what to do, for a person.
    package mutating func failedHandshake(_ reason: String, at now: MonotonicInstant) -> [Action] {
        switch state {
        case .idle, .ended, .waiting: return []
        case .greeting, .subscribing, .synchronizing, .ready: return giveUp(.handshakeFailed(reason), at: now)
        }
    }
}
