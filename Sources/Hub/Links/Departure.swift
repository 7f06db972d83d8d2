import Bus

/// The reason why a link has ended.
package enum Departure: Hashable, CustomStringConvertible {
    case goodbye
    case silent(Duration)
    /// The peer has received nothing of what was sent to it for too long, although it sends heartbeats.
    case readsNothing
    /// The peer reports more bytes received than were sent to it, or than it can have read.
    case misreports
    /// More bytes of the peer wait to be handled than its send window allows.
    case sendsTooMuch
    /// The peer attaches again.
    case cameBack
    /// The host is full, and another peer needs the place of this operator.
    case gaveUpPlace
    /// The line of the peer's key was removed or changed, or has expired.
    case keyChanged
    case killed
    case ended

    /// Whether the peer can no longer act: its process has ended, it has said goodbye after ending its work, or its
    /// lease has expired. A lease is shorter than the silence after which a peer counts as dead.
    package var isOver: Bool {
        switch self {
        case .goodbye, .silent, .readsNothing, .killed, .ended: true
        case .misreports, .sendsTooMuch, .cameBack, .gaveUpPlace, .keyChanged: false
        }
    }

    /// Whether its process may still exist and attach again.
    package var mayComeBack: Bool {
        switch self {
        case .silent, .readsNothing, .misreports, .sendsTooMuch, .cameBack, .gaveUpPlace, .keyChanged: true
        case .goodbye, .killed, .ended: false
        }
    }

    /// Whether the peer may have crashed: its process has ended without a goodbye, or it is silent.
    package var mayBeCrash: Bool {
        switch self {
        case .silent, .killed, .ended: true
        case .goodbye, .readsNothing, .misreports, .sendsTooMuch, .cameBack, .gaveUpPlace, .keyChanged: false
        }
    }

    /// Whether the peer broke the rules of the bus, so that its author should hear of it.
    package var isFault: Bool {
        switch self {
        case .readsNothing, .misreports, .sendsTooMuch: true
        case .goodbye, .silent, .cameBack, .gaveUpPlace, .keyChanged, .killed, .ended: false
        }
    }

    package var description: String {
        switch self {
        case .goodbye: "it said goodbye"
        case .silent(let duration): "silent for \(duration.inTenths)"
        case .readsNothing: "it does not read what is sent to it"
        case .misreports:
            "it says that it has got more than was sent to it, or more than it has shown to have read: "
                + "it must return each 'mark' of a heartbeat"
        case .sendsTooMuch: "it sends more than its window"
        case .cameBack: "it attaches anew"
        case .gaveUpPlace: "the host is full, and another peer needs its place"
        case .keyChanged: "the host's list has no such key any more, or says something else of it"
        case .killed: "its process was killed"
        case .ended: "its process ended"
        }
    }
}
