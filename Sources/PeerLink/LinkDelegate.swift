package import Bus

/// Is told what happens on a link. Every function has an empty default.
@MainActor
package protocol LinkDelegate: AnyObject {
    /// The link can be used, for the first time or again.
    func link(_ link: Link, isReady welcome: Welcome)
    /// The link is lost. It tries again by itself.
    func link(_ link: Link, wasLost loss: LinkMachine.Loss)
    /// The host refuses this peer for good: the link does not try again.
    func link(_ link: Link, wasRefused refusal: Refusal)
    /// The host ends: this is the time to say what there is left to say.
    func hostIsEnding(_ link: Link)
    /// The container has changed.
    func link(_ link: Link, changed action: DependencyReplica.Action)
    /// The keys of the entries that the owner's copy of the container has. A new life of the host has a while to set them again.
    func knownKeys(_ link: Link) -> Set<String>
    /// A request of the host. Answer it with ``Link/reply(to:of:with:)``.
    func link(_ link: Link, received request: Frame)
    /// A post of the host.
    func link(_ link: Link, receivedPost post: Frame)
    /// The host no longer waits for the reply to a request.
    func link(_ link: Link, cancelled id: UInt64)
}

extension LinkDelegate {
    package func link(_ link: Link, isReady welcome: Welcome) {}
    package func link(_ link: Link, wasLost loss: LinkMachine.Loss) {}
    package func link(_ link: Link, wasRefused refusal: Refusal) {}
    package func hostIsEnding(_ link: Link) {}
    package func link(_ link: Link, changed action: DependencyReplica.Action) {}
    package func knownKeys(_ link: Link) -> Set<String> { [] }
    package func link(_ link: Link, received request: Frame) {}
    package func link(_ link: Link, receivedPost post: Frame) {}
    package func link(_ link: Link, cancelled id: UInt64) {}
}

/// Runs the scenes of a worker on its link.
@MainActor
package protocol SceneHolder: AnyObject {
    /// The scenes that have been kept, suspended, since the last link. The hello lists them.
    var heldScenes: [HeldScene] { get }
    /// The lease has expired: the host may place the scenes elsewhere, so they must not act.
    func leaseExpired()
    /// The host has answered: it has placed none of them elsewhere, and they may act again.
    func leaseRenewed()
}
