import Bus

/// Counts what each sender of recorded requests holds of something that is bounded for all of them together. It is a value.
///
/// Peers share it by `FairShare`. What a peer may hold is shared in the same way by those for whom it acts: one user of a
/// console does not use up what its other users need. A peer has all of its share for itself while nothing of it is a user's.
struct OnceRoom {
    /// Whose share something takes.
    struct Sharer: Hashable, CustomStringConvertible {
        /// The peer, or its key.
        let peer: String
        /// The user for whom it acts; `nil` for none.
        var user: String?

        var description: String { user.map { "'\($0)' at '\(peer)'" } ?? "'\(peer)'" }
    }

    private var peers: SharedRoom<String>
    /// What each user holds; no entry for nothing.
    private var users: [Sharer: Int] = [:]
    /// What all users of a peer hold; no entry for nothing.
    private var ofUsers: [String: Int] = [:]

    /// - Parameter limit: what all peers together may hold.
    init(limit: Int) { peers = SharedRoom(limit: limit) }

    /// What all hold.
    var used: Int { peers.used }

    /// What a user holds, or a peer with all of its users.
    func held(by sharer: Sharer) -> Int { sharer.user == nil ? peers.held(by: sharer.peer) : users[sharer] ?? 0 }

    func allows(_ amount: Int = 1, to sharer: Sharer) -> Bool {
        guard peers.allows(amount, to: sharer.peer) else { return false }
        let (all, ofUsers) = (peers.held(by: sharer.peer), ofUsers[sharer.peer] ?? 0)
        guard sharer.user != nil || ofUsers > 0 else { return true }
        let held = sharer.user == nil ? all - ofUsers : users[sharer] ?? 0
        return FairShare(of: part(of: sharer.peer)).allows(amount, toPeerWith: held, used: all)
    }

    /// What a peer may hold, as long as the others hold what they do.
    private func part(of peer: String) -> Int {
        let free = peers.share.limit - peers.share.reserve - (peers.used - peers.held(by: peer))
        return max(peers.share.assured, free / 2)
    }

    /// Takes an amount for a sender, if its share allows it.
    /// - Returns: `false` if nothing was taken.
    mutating func take(_ amount: Int = 1, for sharer: Sharer) -> Bool {
        guard allows(amount, to: sharer) else { return false }
        add(amount, for: sharer)
        return true
    }

    /// Counts what a sender holds in any case, such as records that an earlier host has made.
    mutating func add(_ amount: Int = 1, for sharer: Sharer) {
        peers.add(amount, for: sharer.peer)
        guard sharer.user != nil, amount > 0 else { return }
        users[sharer, default: 0] += amount
        ofUsers[sharer.peer, default: 0] += amount
    }

    /// Gives back what was taken.
    mutating func giveBack(_ amount: Int = 1, of sharer: Sharer) {
        peers.giveBack(amount, of: sharer.peer)
        guard amount > 0, let held = users[sharer], let all = ofUsers[sharer.peer] else { return }
        users[sharer] = held > amount ? held - amount : nil
        ofUsers[sharer.peer] = all > amount ? all - amount : nil
    }
}
