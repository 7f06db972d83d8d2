/// Until when a peer is expected to attach that handles a request which nobody handles now. A value: the time is fed in.
///
/// A host opens its sockets before its plugins run, and those who ask come back to a new life of the host before those who answer.
/// A request that comes in between waits for its handler.
///
/// The price: in the first 5 seconds of a later life, a message that nobody handles is `unhandled` late. So is, in the first 10
/// seconds of any life, one that the manifest of a plugin lists which does not attach.
package struct HandlerExpectation {
    /// How long the plugins that the host starts are expected, once the sockets are open.
    static let pluginTime = Duration.seconds(10)
    /// How long the peers that others start are expected: they attach again by themselves.
    static let peerTime = Duration.seconds(5)
    /// Longer than the host's end takes, and than a request may wait.
    private static let endTime = Duration.seconds(2 * 86_400)

    /// From then on nobody is expected.
    private(set) var end: ContinuousClock.Instant
    private let peerEnd: ContinuousClock.Instant
    let isLaterLife: Bool
    private let startsPlugins: Bool
    /// The host ends, and its plugins before it: what they handled waits for the next life.
    private(set) var isEnding = false

    /// - Parameters:
    ///   - opening: when the sockets are opened.
    ///   - isLaterLife: whether a host has run on this store before: others may have been attached to it.
    ///   - startsPlugins: whether the host starts plugins.
    package init(opening: ContinuousClock.Instant, isLaterLife: Bool, startsPlugins: Bool = true) {
        end = opening + Self.pluginTime
        peerEnd = opening + Self.peerTime
        self.isLaterLife = isLaterLife
        self.startsPlugins = startsPlugins
    }

    /// The host begins to end.
    package mutating func ends(at now: ContinuousClock.Instant) {
        isEnding = true
        end = now + Self.endTime
    }

    /// What is known of a request that no peer handles now.
    struct Unclaimed {
        /// The host's own chain knows it.
        var isKnown = false
        /// It was sent before, on an earlier link.
        var isCopy = false
        /// A plugin handles it that this host starts, and that is not attached now.
        var isPlugins = false
    }

    /// Whether somebody may be expected at all: other requests need not be looked at.
    func isPossible(isCopy: Bool, at now: ContinuousClock.Instant) -> Bool {
        (isEnding || isLaterLife || startsPlugins || isCopy) && now < end
    }

    /// - Returns: until when somebody is expected who handles it; `nil` for nobody.
    func end(for request: Unclaimed) -> ContinuousClock.Instant? {
        if isEnding { return request.isKnown ? nil : end }
        if request.isPlugins { return end }
        return (isLaterLife || request.isCopy) && !request.isKnown ? peerEnd : nil
    }
}
