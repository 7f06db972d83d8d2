import Bus

/// The part of a snapshot that a peer was sent last.
struct SentPart {
    let number: UInt64
    /// The revision that its snapshot reaches.
    let revision: UInt64
    /// The bytes that were sent on the link, this part included.
    let end: UInt64
    let time: MonotonicInstant

    /// Returns whether the part is on its way: the peer has not reported to have received it, and it was sent not long
    /// ago.
    func isOnItsWay(received: UInt64, at now: MonotonicInstant, atMost longest: Duration) -> Bool {
        received < end && now - time < longest
    }
}
