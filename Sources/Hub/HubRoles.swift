package import Bus
package import Messaging
package import ZeroMQ

/// Knows what ``Admission`` asks when a peer says hello.
@MainActor
package protocol AdmissionAuthority: AnyObject {
    /// What holds for every peer.
    var rules: Admission.Rules { get }
    /// What is known of the peer that bears a name; `nil` for nothing.
    /// - Parameter identity: who it is, as the socket attests it.
    func registration(of hello: Hello, from identity: PeerIdentity) -> PeerRegistration?
    /// A peer was refused, perhaps for a while only.
    /// - Parameter hello: `nil` when it was not read, because the hub is too busy.
    func refused(_ hello: Hello?, _ refusal: Refusal)
}

/// Who a peer is, as its socket attests it, and not as it says.
package struct PeerIdentity: Hashable, Sendable {
    /// The connection: nothing else is attested yet.
    package let connection: RoutingID
}

/// Is told who attaches to a hub and who leaves it.
@MainActor
package protocol HubObserver: AnyObject {
    func attached(_ link: HubLink)
    /// A peer's first snapshot has been sent.
    func synchronized(_ link: HubLink)
    func detached(_ link: HubLink, _ departure: Departure)
    /// These links have missed a heartbeat. Told again and again.
    func quiet(_ links: Set<UInt64>)
    /// The hub has not looked at its links in time, again and again. Told each time that it looks.
    func fellBehind()
}

/// Decides which frames a hub may route.
@MainActor
package protocol HubRouting: AnyObject {
    /// Why a frame of a peer must not be routed; `nil` when it may be.
    func rejection(of frame: Frame, from link: HubLink) -> FrameRejection?
    /// Whether a peer that handles this request is about to attach.
    func expectsHandler(of request: Frame) -> Bool
}

/// Why a frame was not routed.
package struct FrameRejection {
    /// What is counted.
    package var reason: String
    /// What the sender of a request is told; `nil` for nothing.
    package var error: MessageError?

    package init(_ reason: String, _ error: MessageError? = nil) {
        self.reason = reason
        self.error = error
    }
}

/// Owns the container that a hub publishes.
@MainActor
package protocol ContainerOwner: AnyObject {
    /// What has changed since a revision: for a new peer, or one that has missed changes.
    func snapshot(after revision: UInt64) -> DependencySnapshot
    /// A peer sets entries.
    func publish(_ frame: Frame, from link: HubLink)
}

/// Handles what no peer of a hub handles: the chain of the hub's own process, or another hub.
@MainActor
package protocol HubUpstream: AnyObject {
    /// What comes back for a request.
    typealias Reply = @MainActor (HubReply) -> Void

    /// Whether it handles a request as far as is known before it is sent.
    func knows(_ request: Frame) -> Bool
    /// Handles a request.
    /// - Parameters:
    ///   - link: the id of the link over which it came; with the frame's id it names the request.
    ///   - timeLeft: how long its sender still waits.
    ///   - reply: is called once.
    func receive(_ request: Frame, from link: UInt64, timeLeft: Duration, reply: @escaping Reply)
    /// Handles a post.
    func receive(post: Frame)
    /// Whether a request is being handled.
    func isHandling(_ id: UInt64, of link: UInt64) -> Bool
    /// The sender of a request no longer waits.
    func cancel(_ id: UInt64, of link: UInt64)
    /// The link of these requests is gone.
    func cancelAll(of link: UInt64)
}

/// What a hub's upstream replies to a request.
package enum HubReply {
    /// A value that is still to be encoded.
    case value(any Encodable)
    /// A reply or a failure as another hub sent it.
    case frame(Frame)
    case failure(any Error)

    package init(_ result: Result<any Encodable, any Error>) {
        switch result {
        case .success(let value): self = .value(value)
        case .failure(let error): self = .failure(error)
        }
    }
}

/// Keeps records of the requests that must not be handled twice.
@MainActor
package protocol RequestLedger: AnyObject {
    /// How long a request on record may wait.
    var window: Duration { get }
    /// A peer's request, to be put on record and then carried on with ``RequestRouter/carry(_:from:origin:deadline:now:)``.
    func received(_ frame: Frame, from link: HubLink, deadline: ContinuousClock.Instant, now: ContinuousClock.Instant)
    /// Whether a request would be put on record now: no copy of it is there.
    func isNew(_ frame: Frame, from link: HubLink) -> Bool
    /// Whether a request of that id is on its way.
    func has(_ id: UInt64, of link: HubLink) -> Bool
    /// A request has gone to another process, as one of the router's forwards.
    func forwarded(_ key: RequestKey, as id: UInt64)
    /// A request has ended.
    func ended(_ key: RequestKey, with end: Frame)
    /// A peer no longer waits for the end of its request.
    func cancel(_ id: UInt64, from link: HubLink)
    /// A peer is gone; its requests go on.
    func detached(_ link: HubLink)
}

/// Names a request on record.
package struct RequestKey: Hashable, Sendable {
    /// The name of the peer that sent it.
    package let peer: String
    package let id: MessageID

    package init(peer: String, id: MessageID) {
        self.peer = peer
        self.id = id
    }
}

/// An address on which a hub cannot listen.
package struct HubAddressError: Error, CustomStringConvertible {
    /// Whether somebody else listens there.
    package let isInUse: Bool
    package let description: String
}
