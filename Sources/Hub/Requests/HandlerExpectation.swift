package import Bus

/// Determines how long a request that no peer handles now waits for a peer that is expected to attach and handle it. It
/// is a value: the caller passes in the time.
///
/// A host opens its sockets before its plugins run. After a restart, callers may reconnect before the peers that handle
/// their requests. A request that arrives in between waits for its handler.
///
/// This has a cost. In the first 5 seconds of a later life, a message that no peer handles is reported late as
/// `unhandled`. In the first 10 seconds of any life, this also applies to a message that is listed in the manifest of a
/// plugin that does not attach.
package struct HandlerExpectation {
    /// How long the plugins that the host starts are expected after the sockets are opened.
    static let pluginTime = Duration.seconds(10)
    /// How long all other peers are expected. They reconnect by themselves.
    static let peerTime = Duration.seconds(5)
    /// Longer than the host's shutdown takes, and longer than a request may wait.
    private static let endTime = Duration.seconds(2 * 86_400)

    /// The time after which no peer is expected.
    private(set) var end: MonotonicInstant
    private let peerEnd: MonotonicInstant
    let isLaterLife: Bool
    private let startsPlugins: Bool
    /// Whether the host is shutting down. Its plugins end before it, and requests that they handled wait for the next
    /// life.
    private(set) var isEnding = false

    /// - Parameters:
    ///   - opening: when the sockets are opened.
    ///   - isLaterLife: whether a host has run on this store before, so that peers may have been attached to it.
    ///   - startsPlugins: whether the host starts plugins.
    package init(opening: MonotonicInstant, isLaterLife: Bool, startsPlugins: Bool = true) {
        end = opening + Self.pluginTime
        peerEnd = opening + Self.peerTime
        self.isLaterLife = isLaterLife
        self.startsPlugins = startsPlugins
    }

    /// Begins the host's shutdown.
    package mutating func ends(at now: MonotonicInstant) {
        isEnding = true
        end = now + Self.endTime
    }

    /// What is known about a request that no peer handles now.
    struct Unclaimed {
        /// Whether the host's own responder chain handles it.
        var isKnown = false
        /// Whether it was sent before, on an earlier link.
        var isCopy = false
        /// Whether a plugin handles it that this host starts and that is not attached now.
        var isPlugins = false
    }

    /// Whether any peer may be expected at all. If not, requests need no closer check.
    func isPossible(isCopy: Bool, at now: MonotonicInstant) -> Bool {
        (isEnding || isLaterLife || startsPlugins || isCopy) && now < end
    }

    /// - Returns: until when a peer that handles the request is expected; `nil` when none is expected.
    func end(for request: Unclaimed) -> MonotonicInstant? {
        if isEnding { return request.isKnown ? nil : end }
        if request.isPlugins { return end }
        return (isLaterLife || request.isCopy) && !request.isKnown ? peerEnd : nil
    }
}
