package import ZeroMQ

/// The keys of a link over TCP.
///
/// The keys of either side can be replaced while both are running. For a while there are two then, of which the other side may
/// know only one: a link tries both.
package struct LinkSecurity: Sendable {
    /// The key pair of this machine.
    package var keys: KeyPair
    /// The key pair that is about to take its place; `nil` for none.
    package var nextKeys: KeyPair?
    /// The host's public key.
    package var host: PublicKey
    /// The key that is about to take its place, as the host has said; `nil` for none.
    package private(set) var nextHost: PublicKey?
    /// Where the keys are read anew before each attempt; `nil` for keys that stay the same.
    package var source: KeySource?
    private var usesNextKeys = false
    private var usesNextHost = false
    /// Whether one of the two key pairs has failed in this attempt.
    private var hasTriedKeys = false
    private var hasTriedHosts = false
    /// Whether ``nextHost`` is in the file.
    private var hasNotedHost = false

    package init(keys: KeyPair, host: PublicKey) { (self.keys, self.host) = (keys, host) }

    /// The key pair that is used now.
    package var currentKeys: KeyPair { usesNextKeys ? nextKeys ?? keys : keys }
    /// The host's key that is expected now.
    package var currentHost: PublicKey { usesNextHost ? nextHost ?? host : host }

    package var ofSockets: SocketSecurity { .client(currentKeys, host: currentHost) }

    // MARK: - Attempts

    /// Begins an attempt with what the files say now. What cannot be read stays as it was.
    package mutating func readAgain() {
        (hasTriedKeys, hasTriedHosts) = (false, false)
        guard let source else { return }
        // The keys that have worked last are those to begin with.
        let (own, other) = (currentKeys.publicKey, currentHost)
        if let keys = source.keys { self.keys = keys }
        nextKeys = source.nextKeys
        usesNextKeys = nextKeys?.publicKey == own
        guard let context = source.context else { return }
        if context.key != host || context.next != nil { nextHost = context.next }
        host = context.key
        usesNextHost = nextHost == other
    }

    /// Notes that the host does not know the key.
    /// - Returns: whether there is another one to try in this attempt.
    mutating func keysRefused() -> Bool {
        guard nextKeys != nil, !hasTriedKeys else { return false }
        usesNextKeys.toggle()
        hasTriedKeys = true
        return true
    }

    /// Notes that the host may have another key than was expected.
    /// - Returns: whether there is another one to try in this attempt.
    mutating func hostRefused() -> Bool {
        guard nextHost != nil, !hasTriedHosts else { return false }
        usesNextHost.toggle()
        hasTriedHosts = true
        return true
    }

    /// Notes that a handshake has succeeded: the host has the key that was expected.
    mutating func accepted() {
        guard usesNextHost, let next = nextHost else { return }
        (host, nextHost, usesNextHost, hasNotedHost) = (next, nil, false, false)
        source?.replaceHost(by: next)
    }

    /// Notes the key that the host is about to have, or has had since its last change, as it says over the link; `nil` if it is
    /// about to have no other.
    mutating func announced(_ text: String?) {
        guard let text else { return forgetNextHost() }
        if let nextHost, hasNotedHost, text == "\(nextHost)" { return }
        guard let next = PublicKey(text), next != host else { return }
        if let taken = nextHost, taken != next {
            // There is another one when the one before has taken its place. This link has stayed, so no handshake has shown it.
            (host, usesNextHost) = (taken, false)
            source?.replaceHost(by: taken)
        }
        nextHost = next
        hasNotedHost = source?.announce(next, after: host) ?? true
    }

    /// Notes that a change of the host's key was called off.
    private mutating func forgetNextHost() {
        guard let next = nextHost else { return }
        (nextHost, usesNextHost, hasNotedHost) = (nil, false, false)
        source?.forget(next)
    }
}
