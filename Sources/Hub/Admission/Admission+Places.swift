import Bus
import Messaging

/// The places for peers. A full host is when operators are needed, so none can keep another one out.
extension Admission {
    /// The number of operators that can attach beyond the maximum number of peers. They take no place from others.
    static let reservedForOperators = 16

    /// Where there is room for a peer.
    enum Place: Hashable {
        case free
        /// The operator on this link gives up its place.
        case of(UInt64)
        case none
        /// The peer's process or key has so many peers already that the other places are for others.
        case beyondShare(PeerOwner, held: Int)
    }

    /// An operator that is attached.
    struct Operator {
        let link: UInt64
        let owner: PeerOwner
        /// Whether one of its requests is being handled.
        let isBusy: Bool
        /// Whether it has given up a place, and has come back at once.
        var hasComeBack = false
    }

    /// Finds a place for a peer. One that the hub's owner has started gets one in any case.
    ///
    /// A process or key gets no more places than `FairShare` gives it, except for operators, so that it keeps no others
    /// out.
    static func place(
        for role: PeerRole, _ kind: LinkPlaces.Kind, of owner: PeerOwner, in places: LinkPlaces, maximum: Int,
        operators: @autoclosure () -> [Operator]
    ) -> Place {
        switch kind {
        case .own: return .free
        case .shared where places.isBeyondShare(owner, of: maximum):
            return .beyondShare(owner, held: places.held(by: owner))
        case .operators, .shared:
            return place(for: role, linkCount: places.count, maximum: maximum, operators: operators())
        }
    }

    /// Finds a place for a peer among all.
    ///
    /// A new operator always gets one. If all are taken, an operator gives up its place: one of the process or key that
    /// has the most, and of these one that has come back after it gave up a place before another, one without a request in
    /// flight before one with, and then the one that attached first. So the links of one process do not displace those of
    /// others, and operators that come back again and again do not displace one that has just attached. Another peer
    /// gets the place of an operator only while more of them are attached than have places of their own.
    /// - Parameters:
    ///   - linkCount: the number of attached peers.
    ///   - maximum: the maximum number of attached peers, without the operators' own places.
    ///   - operators: the operators among them. It is asked only when the host may be full.
    static func place(
        for role: PeerRole, linkCount: Int, maximum: Int, operators: @autoclosure () -> [Operator]
    ) -> Place {
        guard linkCount >= maximum else { return .free }
        let operators = operators()
        let own = role == .operator ? reservedForOperators : min(operators.count, reservedForOperators)
        guard linkCount - maximum >= own else { return .free }
        guard operators.count > (role == .operator ? 0 : reservedForOperators) else { return .none }
        let counts = Dictionary(operators.map { ($0.owner, 1) }, uniquingKeysWith: +)
        func rank(_ candidate: Operator) -> (Int, Int, Int, UInt64) {
            let count = counts[candidate.owner] ?? 0
            // Of an owner with several, it is not known which one has come back.
            let comesFirst = candidate.hasComeBack && count == 1
            return (-count, comesFirst ? 0 : 1, candidate.isBusy ? 1 : 0, candidate.link)
        }
        let leaving = operators.min { rank($0) < rank($1) }
        return leaving.map { .of($0.link) } ?? .none
    }
}
