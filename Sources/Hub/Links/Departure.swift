/// Why a link has ended.
package enum Departure: Hashable, CustomStringConvertible {
    case goodbye
    case silent(Duration)
    /// It has got nothing of what was sent to it for too long, though it says that it lives.
    case readsNothing
    /// It says that it has got more than was sent to it.
    case misreports
    /// The peer attaches anew.
    case cameBack
    case killed
    case ended

    /// Whether nothing of the peer acts any more: its process has ended, it has put everything down, or its lease is over, which
    /// is shorter than the silence after which it counts as dead.
    package var isOver: Bool { self != .cameBack && self != .misreports }

    /// Whether its process may be there still, and attach again.
    package var mayComeBack: Bool {
        switch self {
        case .silent, .readsNothing, .misreports, .cameBack: true
        case .goodbye, .killed, .ended: false
        }
    }

    package var description: String {
        switch self {
        case .goodbye: "it said goodbye"
        case .silent(let duration): "silent for \(duration)"
        case .readsNothing: "it does not read what is sent to it"
        case .misreports: "it says that it has got more than was sent to it"
        case .cameBack: "it attaches anew"
        case .killed: "its process was killed"
        case .ended: "its process ended"
        }
    }
}
