package import Bus

/// Receives the events of a link. Every function has an empty default implementation.
@MainActor
package protocol LinkDelegate: AnyObject {
    /// The link is ready, for the first time or again.
    func link(_ link: Link, isReady welcome: Welcome)
    /// The link was lost, or has ended. It connects anew by itself, unless it was stopped or refused permanently.
    func link(_ link: Link, wasLost loss: LinkMachine.Loss)
    /// The host has refused this peer permanently. The link does not try again.
    func link(_ link: Link, wasRefused refusal: Refusal)
    /// The host is shutting down. This is the last opportunity to send something on this link.
    func hostIsEnding(_ link: Link)
    /// The container has changed.
    func link(_ link: Link, changed action: DependencyReplica.Action)
    /// The host has refused an entry that this peer has set. It keeps its earlier value.
    func link(_ link: Link, refused key: String, _ reason: String)
    /// Returns the keys of the entries in the owner's copy of the container. After a restart of the host, these entries
    /// are kept for a while, so that they can be set again.
    func knownKeys(_ link: Link) -> Set<String>
    /// A request of the host has arrived. End it once, with ``Link/reply(to:of:with:)``,
    /// ``Link/fail(_:of:with:)`` or ``Link/end(_:_:of:with:)``.
    func link(_ link: Link, received request: Frame)
    /// A post of the host has arrived.
    func link(_ link: Link, receivedPost post: Frame)
    /// A record of the tap has arrived, which this peer watches over the link.
    func link(_ link: Link, receivedTap record: Frame)
    /// The host no longer waits for the reply to a request.
    func link(_ link: Link, cancelled id: UInt64)
}

extension LinkDelegate {
    package func link(_ link: Link, isReady welcome: Welcome) {}
    package func link(_ link: Link, wasLost loss: LinkMachine.Loss) {}
    package func link(_ link: Link, wasRefused refusal: Refusal) {}
    package func hostIsEnding(_ link: Link) {}
    package func link(_ link: Link, changed action: DependencyReplica.Action) {}
    package func link(_ link: Link, refused key: String, _ reason: String) {}
    package func knownKeys(_ link: Link) -> Set<String> { [] }
    package func link(_ link: Link, received request: Frame) {}
    package func link(_ link: Link, receivedPost post: Frame) {}
    package func link(_ link: Link, receivedTap record: Frame) {}
    package func link(_ link: Link, cancelled id: UInt64) {}
}

/// Runs the scenes of a worker on its link.
@MainActor
package protocol SceneHolder: AnyObject {
    /// The suspended scenes that have been kept since the last link. The hello lists them.
    var heldScenes: [HeldScene] { get }
    /// The lease has expired: the host may place the scenes elsewhere, so they must not act.
    func leaseExpired()
    /// The host has replied. It has placed none of the scenes elsewhere, and they may act again.
    func leaseRenewed()
}
