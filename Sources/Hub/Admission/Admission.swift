import Bus
import Messaging
import ZeroMQ

/// Decides which peers may attach to a hub, and explains why a peer may not. It is a value: the caller passes in the
/// time and what is known.
///
/// It checks a peer's hello, what is known about a peer of that name, what the peer may do, and the number of peers.
package struct Admission {
    /// The rules for every peer of a hub.
    package struct Rules {
        /// Messages that no peer may handle for others.
        package var reservedMessages: Set<String>
        /// Entries that no peer may provide.
        package var reservedEntries: Set<String>
        /// What belongs to the processes that the hub's owner starts.
        package var claims: ManifestClaims
        /// The maximum number of attached peers, and what an operator can do to allow more.
        package var maximumLinks: Int
        package var howToAllowMore: String

        package init(
            reservedMessages: Set<String> = [], reservedEntries: Set<String> = [],
            claims: ManifestClaims = ManifestClaims(), maximumLinks: Int = .max, howToAllowMore: String = ""
        ) {
            self.reservedMessages = reservedMessages
            self.reservedEntries = reservedEntries
            self.claims = claims
            self.maximumLinks = maximumLinks
            self.howToAllowMore = howToAllowMore
        }
    }

    /// The rate at which new peers are admitted.
    var newcomers = AdmissionRate.newcomers
    /// The rate for workers that hold scenes.
    var returning = AdmissionRate.returning

    package init() {}

    /// The result of checking a hello.
    enum Check {
        /// The peer and this host have this version of the protocol in common.
        case speaks(version: Int)
        /// The hello exceeds a limit of the protocol.
        case isBeyondBounds(Refusal)
        case isOfOtherVersion(Refusal)
    }

    /// Checks a hello against the limits and versions of the protocol.
    static func check(_ hello: Hello) -> Check {
        if let excess = hello.excess { return .isBeyondBounds(Refusal(.malformed, excess)) }
        if let version = hello.versions.highestCommon(with: .current) { return .speaks(version: version) }
        return .isOfOtherVersion(
            Refusal(
                .version,
                "'\(hello.peer)' speaks \(hello.versions) of the protocol, this host \(ProtocolVersionRange.current)",
                peerVersions: hello.versions))
    }

    /// Returns whether a hello is from the same process as the attached peer of its name, whose link it then replaces.
    /// Everybody can see the name and the process ID of a peer, but not its life.
    static func isSameProcess(
        _ hello: Hello, of owner: PeerOwner, as attached: Hello, of attachedOwner: PeerOwner
    ) -> Bool {
        hello.process == attached.process && (hello.life != nil || owner == attachedOwner)
    }

    /// The refusal of a peer that has sent a frame that cannot be read: a peer of another version is told the supported
    /// versions, and a peer whose hello is too large is told the limit. Other bytes get no reply.
    static func refusal(ofUnreadable bytes: ArraySlice<UInt8>, _ error: FrameError) -> Refusal? {
        switch error.code {
        case .otherVersion: Refusal(.version, "\(error); this host speaks \(ProtocolVersionRange.current)")
        case .tooLarge where bytes.dropFirst(2).first == FrameKind.hello.rawValue: Refusal(.malformed, "\(error)")
        default: nil
        }
    }

    /// Returns whether the hub has time to admit a peer now.
    /// - Parameter isBehind: whether the hub has fallen behind.
    mutating func hasTime(for hello: Hello, isBehind: Bool, at now: MonotonicInstant) -> Bool {
        switch hello.role {
        // Plugins and operators are few, so the hub always has time for them. Workers wait for what plugins provide,
        // and operators want to see what is happening.
        case .plugin, .operator: true
        case .worker, .monitor:
            isBehind ? false : hello.holdsScenes ? returning.take(at: now) : newcomers.take(at: now)
        }
    }

    /// The refusal of a peer that the hub has no time to admit now.
    static let busy = Refusal(.busy, "many peers are attaching at the moment; this one can attach in a few seconds")

    /// The longest wait that a worker is told. After a restart of the host, the host waits a little longer for it.
    private static let longestWait = Duration.seconds(2)
    /// The longest wait that any other peer is told. The sessions of a worker with scenes are soon given to others, and
    /// monitors are not patient. Within this time, most of them try several times.
    private static let longestWaitOfUrgent = Duration.milliseconds(500)

    /// Returns the refusal of a peer that the hub has no time to admit now, with the time when to try again.
    mutating func busy(_ hello: Hello, at now: MonotonicInstant) -> Refusal {
        let wait =
            if hello.holdsScenes {
                returning.wait(at: now, atMost: Self.longestWaitOfUrgent)
            } else {
                newcomers.wait(
                    at: now, atMost: hello.role == .worker ? Self.longestWait : Self.longestWaitOfUrgent)
            }
        var refusal = Self.busy
        refusal.wait = Int(wait / .milliseconds(1)) + 1
        return refusal
    }

    /// Returns why a peer may not attach; `nil` when it may.
    /// - Parameters:
    ///   - namesake: the process ID of the attached peer of the same name.
    ///   - linkCount: the number of attached peers that take a place.
    ///   - place: where there is room for the peer.
    ///   - registration: what is known about a peer of that name; `nil` for nothing.
    static func refusal(
        of hello: Hello, rules: Rules, namesake: Int32?, linkCount: Int, place: Place,
        registration: PeerRegistration?
    ) -> Refusal? {
        if let name = hello.handles.first(where: rules.reservedMessages.contains) {
            return Refusal(
                .malformed, "'\(hello.peer)' handles '\(name)', which is a message of the protocol itself: rename it")
        }
        if let key = hello.provides.first(where: rules.reservedEntries.contains) {
            return Refusal(
                .malformed, "'\(hello.peer)' provides '\(key)', which is an entry of the host itself: rename it")
        }
        if let key = hello.provides.first(where: { SessionEntryKey($0) != nil }) {
            return Refusal(
                .malformed,
                "'\(hello.peer)' provides '\(key)', and only the host's own keys of entries have an '@': list the entry's "
                    + "name, with which it may be set for each session")
        }
        if let namesake {
            return Refusal(
                .taken,
                "another process (\(namesake)) is attached as '\(hello.peer)'; give this one another name with --name")
        }
        switch place {
        case .free, .of: break
        case .none:
            return Refusal(
                .full,
                "\(linkCount) peers are attached, the maximum for this host; stop some, or allow more with \(rules.howToAllowMore)"
            )
        case .beyondShare(let owner, let held):
            return Refusal(
                .full,
                """
                \(held) peers of \(owner) are attached, which is its share of the places; stop some, or allow more with \
                \(rules.howToAllowMore)
                """)
        }
        if let registration { return refusal(of: hello, registeredAs: registration) }
        return rules.claims.refusal(of: hello)
    }
}
