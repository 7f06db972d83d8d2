/// The rule by which peers share what is bounded for all of them together.
///
/// A peer may hold as much as it leaves free for others, not counting a reserve. A peer that is alone therefore gets
/// nearly half of all, and each further one nearly half of what is left. The reserve is for peers that hold little: up to
/// the assured amount a peer gets what is left. So no peer can take from another what that one has not asked for yet,
/// neither at once nor with time.
///
/// It is a value that knows only the sizes; ``SharedRoom`` also counts what each peer holds.
package struct FairShare: Hashable, Sendable {
    /// What all peers together may hold.
    package let limit: Int
    /// What only peers that hold little may take.
    package let reserve: Int
    /// What a peer may hold even of the reserve.
    package let assured: Int

    /// - Parameters:
    ///   - limit: what all peers together may hold. A tenth of it is the reserve.
    ///   - assured: what each peer gets even of the reserve; `nil` for a thousandth of the limit, and at least 1.
    package init(of limit: Int, assured: Int? = nil) {
        self.limit = limit
        reserve = limit / 10
        self.assured = assured ?? max(1, limit / 1000)
    }

    /// Returns whether a peer may take more.
    /// - Parameters:
    ///   - amount: how much more.
    ///   - held: what the peer holds.
    ///   - used: what all peers hold, this one included.
    package func allows(_ amount: Int = 1, toPeerWith held: Int, used: Int) -> Bool {
        guard amount <= limit - used else { return false }
        return held + amount <= assured || held + amount <= limit - reserve - used
    }

    /// Returns whether any peer may take one more, whatever it holds of what is used.
    package func allowsAll(used: Int) -> Bool { allows(toPeerWith: used, used: used) }
}
