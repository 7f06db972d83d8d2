/// Bounds how many logins wait at the same time, and other operations that hash a password: in all, so that none waits longer
/// than its sender, and of each peer, so that one leaves room for others.
///
/// Each takes a place from its start to its end.
struct LoginPlaces {
    /// The most places of a peer. A console asks for all of its users.
    static let maximumPerPeer = 32
    /// The most places of all peers.
    static let maximum = 128
    /// The longest time after which a caller is told to try again, in seconds.
    private static let longestWait: Double = 60

    private(set) var count = 0
    private var counts: [String: Int] = [:]
    /// How long the operation took that ended last. While many wait, those before a new one take as long.
    private var lastTime: Double = 0

    /// Takes a place.
    /// - Parameter peer: the name of the process that asks.
    /// - Throws: `tooManyLogins` with the whole seconds to wait.
    mutating func take(for peer: String) throws(AccountsError) {
        let own = counts[peer, default: 0]
        guard count < Self.maximum, own < Self.maximumPerPeer else {
            let seconds = Int(min(max(lastTime, 1), Self.longestWait).rounded(.up))
            throw AccountsError(
                .tooManyLogins(seconds: seconds), "Too many logins at once: try again in \(seconds) s.")
        }
        count += 1
        counts[peer] = own + 1
    }

    /// Gives a place back.
    mutating func leave(for peer: String, after time: Double) {
        count -= 1
        let own = counts[peer, default: 1] - 1
        counts[peer] = own > 0 ? own : nil
        lastTime = time
    }
}
