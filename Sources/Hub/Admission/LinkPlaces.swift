import Bus

/// The places that the attached peers take. Each process, or over TCP each key, has its share of those that all peers
/// share. It is a value.
struct LinkPlaces {
    /// What a peer takes a place of.
    enum Kind: Hashable {
        /// None: the hub's owner has started its process, and knows how many there are.
        case own
        /// Those of operators; see `Admission.place`.
        case operators
        /// Those that all peers share.
        case shared
    }

    /// How many peers of one owner may attach even when only the reserve is left. A process rarely has more than one.
    private static let assured = 4

    private var operators = 0
    private var shared = SharedRoom<PeerOwner>(limit: .max)

    /// The number of peers that take a place.
    var count: Int { operators + shared.used }

    /// The number of peers of an owner, without its operators.
    func held(by owner: PeerOwner) -> Int { shared.held(by: owner) }

    /// Returns whether an owner has used up its share of the places, although some are left.
    /// - Parameter maximum: the number of places.
    func isBeyondShare(_ owner: PeerOwner, of maximum: Int) -> Bool {
        let share = FairShare(of: maximum, assured: Self.assured)
        return shared.used < maximum && !share.allows(toPeerWith: held(by: owner), used: shared.used)
    }

    mutating func add(_ kind: Kind, of owner: PeerOwner) {
        switch kind {
        case .own: break
        case .operators: operators += 1
        case .shared: shared.add(for: owner)
        }
    }

    mutating func remove(_ kind: Kind, of owner: PeerOwner) {
        switch kind {
        case .own: break
        case .operators: operators -= 1
        case .shared: shared.giveBack(of: owner)
        }
    }
}
