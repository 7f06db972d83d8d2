/// The handshakes with a key that have failed lately, by machine. It is a value: the caller passes in the time.
///
/// A handshake costs the host some cryptography before the key is known, so a stranger that tries one key after the other
/// would keep it busy. Handshakes that succeed are not counted: any number of machines behind one address can connect.
struct FailedHandshakes {
    /// After so many, no further ones are begun. It is more than what the machines of a room need whose keys are not allowed
    /// yet, and that try again every one or two seconds.
    static let maximum = 128.0
    /// How many are forgotten each second, so that as many others may fail.
    static let rate = 64.0
    /// How many are remembered. Many handshakes can fail at once, for example because the host was too slow for them, and no
    /// machine is to wait for more than half a minute because of that.
    static let remembered = 2048.0

    private var failed = RecentCounts()

    /// Whether a machine may begin a handshake.
    func mayBegin(_ owner: Int, at now: MonotonicInstant) -> Bool { failed.count(of: owner, at: now) < Self.maximum }

    /// Notes that a handshake of a machine has failed.
    mutating func add(_ owner: Int, at now: MonotonicInstant) {
        failed.add(owner, forgetting: Self.rate, atMost: Self.remembered, at: now)
    }
}
