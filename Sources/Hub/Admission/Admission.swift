package import Bus
package import ZeroMQ

/// Decides who may attach to a hub, and says in words why a peer may not. A value: the time and what is known are handed in.
///
/// It checks what a peer says of itself, what is known of a peer of that name, what it may do, and how many peers there may be.
package struct Admission {
    /// What holds for every peer of a hub.
    package struct Rules {
        /// Messages that no peer handles for others.
        package var reservedMessages: Set<String>
        /// Entries that no peer provides.
        package var reservedEntries: Set<String>
        /// The most peers at a time, and how to allow more.
        package var maximumLinks: Int
        package var howToAllowMore: String

        package init(
            reservedMessages: Set<String> = [], reservedEntries: Set<String> = [], maximumLinks: Int = .max,
            howToAllowMore: String = ""
        ) {
            self.reservedMessages = reservedMessages
            self.reservedEntries = reservedEntries
            self.maximumLinks = maximumLinks
            self.howToAllowMore = howToAllowMore
        }
    }

    /// New peers that are admitted at a time.
    var newcomers = AdmissionRate(burst: 200, rate: 400)
    /// Workers that hold scenes come first: until they have said so, nobody gets those.
    var returning = AdmissionRate(burst: 1000, rate: 2000)

    package init() {}

    /// What follows from what a peer says of itself.
    enum Check {
        /// The version of the protocol to speak with it.
        case speaks(version: Int)
        /// Its hello is beyond the protocol's bounds.
        case isBeyondBounds(Refusal)
        case isOfOtherVersion(Refusal)
    }

    /// Checks what a peer says of itself.
    static func check(_ hello: Hello) -> Check {
        if let excess = hello.excess { return .isBeyondBounds(Refusal(.malformed, excess)) }
        if let version = hello.versions.highestCommon(with: .current) { return .speaks(version: version) }
        return .isOfOtherVersion(
            Refusal(
                .version,
                "'\(hello.peer)' speaks \(hello.versions) of the protocol, this host \(ProtocolVersionRange.current)",
                peerVersions: hello.versions))
    }

    /// Whether there is time for a peer now.
    /// - Parameter isBehind: the hub has fallen behind.
    mutating func hasTime(for hello: Hello, isBehind: Bool, at now: ContinuousClock.Instant) -> Bool {
        switch hello.role {
        // Few: workers wait for what the ones provide, and the others want to see what goes on.
        case .plugin, .operator: true
        case .worker, .monitor:
            isBehind ? false : hello.held?.isEmpty == false ? returning.take(at: now) : newcomers.take(at: now)
        }
    }

    /// What a peer is told for which there is no time now.
    static let busy = Refusal(.busy, "many peers come at this moment; it is taken in one of the next seconds")

    /// Why a peer may not attach; `nil` when it may.
    /// - Parameters:
    ///   - namesake: the process of the link that has the peer's name.
    ///   - linkCount: how many peers are attached.
    ///   - registration: what is known of a peer of that name; `nil` for nothing.
    static func refusal(
        of hello: Hello, rules: Rules, namesake: Int32?, linkCount: Int, registration: PeerRegistration?
    ) -> Refusal? {
        if let name = hello.handles.first(where: rules.reservedMessages.contains) {
            return Refusal(
                .malformed, "'\(hello.peer)' handles '\(name)', which is a message of the protocol's own: rename it")
        }
        if let key = hello.provides.first(where: rules.reservedEntries.contains) {
            return Refusal(
                .malformed, "'\(hello.peer)' provides '\(key)', which is an entry of the host's own: rename it")
        }
        if let namesake {
            return Refusal(.taken, "another process (\(namesake)) is attached as '\(hello.peer)'")
        }
        if linkCount >= rules.maximumLinks {
            return Refusal(
                .full,
                "\(linkCount) peers are attached, as many as this host takes; end some, or allow more with \(rules.howToAllowMore)"
            )
        }
        return registration?.refusal(of: hello)
    }
}
