/// Counts what each peer holds of something that is bounded for all of them together. It is a value.
package struct SharedRoom<Peer: Hashable> {
    /// How much a peer may hold.
    package let share: FairShare
    /// What all peers hold.
    package private(set) var used = 0
    /// What each peer holds; no entry for nothing.
    private var held: [Peer: Int] = [:]

    /// - Parameters:
    ///   - limit: what all peers together may hold.
    ///   - assured: what each peer gets even of the reserve; `nil` for the usual part.
    package init(limit: Int, assured: Int? = nil) {
        share = FairShare(of: limit, assured: assured)
    }

    /// The number of peers that hold something.
    package var peerCount: Int { held.count }

    /// What a peer holds.
    package func held(by peer: Peer) -> Int { held[peer] ?? 0 }

    /// Returns whether a peer may take more.
    package func allows(_ amount: Int = 1, to peer: Peer) -> Bool {
        share.allows(amount, toPeerWith: held(by: peer), used: used)
    }

    /// Takes an amount for a peer, if its share allows it.
    /// - Returns: `false` if nothing was taken.
    package mutating func take(_ amount: Int = 1, for peer: Peer) -> Bool {
        guard allows(amount, to: peer) else { return false }
        add(amount, for: peer)
        return true
    }

    /// Counts what a peer holds in any case, such as records that an earlier host has made.
    package mutating func add(_ amount: Int = 1, for peer: Peer) {
        guard amount > 0 else { return }
        used += amount
        held[peer, default: 0] += amount
    }

    /// Gives back what was taken.
    package mutating func giveBack(_ amount: Int = 1, of peer: Peer) {
        guard amount > 0, let held = held[peer] else { return }
        used -= min(amount, held)
        self.held[peer] = held > amount ? held - amount : nil
    }

    /// Gives everything back.
    package mutating func giveBackAll() {
        used = 0
        held = [:]
    }
}

extension SharedRoom: Sendable where Peer: Sendable {}
