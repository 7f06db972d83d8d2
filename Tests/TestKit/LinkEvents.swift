package import Bus
package import PeerLink

/// Passes a link's events to closures.
@MainActor
package final class LinkEvents: LinkDelegate {
    package var onReady: @MainActor (Welcome) -> Void = { _ in }
    package var onLost: @MainActor (LinkMachine.Loss) -> Void = { _ in }
    package var onRefused: @MainActor (Refusal) -> Void = { _ in }
    package var onChange: @MainActor (DependencyReplica.Action) -> Void = { _ in }
    /// The keys of the owner's copy of the container.
    package var keys: @MainActor () -> Set<String> = { [] }
    package var onEnding: @MainActor () -> Void = {}
    package var onRequest: @MainActor (Frame) -> Void = { _ in }
    package var onPost: @MainActor (Frame) -> Void = { _ in }

    /// - Parameter link: A link without a delegate. The link does not retain this object, so the caller must.
    package init(_ link: Link) { link.delegate = self }

    package func link(_ link: Link, isReady welcome: Welcome) { onReady(welcome) }
    package func link(_ link: Link, wasLost loss: LinkMachine.Loss) { onLost(loss) }
    package func link(_ link: Link, wasRefused refusal: Refusal) { onRefused(refusal) }
    package func link(_ link: Link, changed action: DependencyReplica.Action) { onChange(action) }
    package func hostIsEnding(_ link: Link) { onEnding() }
    package func knownKeys(_ link: Link) -> Set<String> { keys() }
    package func link(_ link: Link, received request: Frame) { onRequest(request) }
    package func link(_ link: Link, receivedPost post: Frame) { onPost(post) }
}
