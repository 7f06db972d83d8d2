package import Access
package import Bus
import Glibc
package import Messaging
package import ZeroMQ
package import MessageHandling

/// Knows the facts that ``Admission`` needs when a peer sends its hello.
@MainActor
package protocol AdmissionAuthority: AnyObject {
    /// The rules for every peer.
    var rules: Admission.Rules { get }
    /// Returns what is known about the peer of a name; `nil` for nothing.
    /// - Parameter identity: the peer's identity, as the socket attests it.
    func registration(of hello: Hello, from identity: PeerIdentity) -> PeerRegistration?
    /// Returns what the peers of a key may do; `nil` for a key that is not allowed, or not any more.
    func access(of key: PublicKey) -> PeerAccess?
    /// Returns whether some key may not read an entry of the container.
    func hides(_ entry: String) -> Bool
    /// Returns whether a key is not allowed any more because another one of the same peer has replaced it.
    func wasReplaced(_ key: PublicKey) -> Bool
    /// Called when a peer was refused, possibly only for a while.
    /// - Parameters:
    ///   - hello: `nil` when it was not decoded, because the hub is too busy.
    ///   - identity: the peer's identity, as the socket attests it.
    func refused(_ hello: Hello?, _ refusal: Refusal, from identity: PeerIdentity)
}

/// A peer's identity as its socket attests it, not as the peer declares it.
package struct PeerIdentity: Hashable, Sendable {
    /// The id of the connection.
    package let connection: RoutingID
    /// The process that has connected; `nil` when it has connected over the network, or when it is not known because its
    /// hello came behind another frame.
    package let process: Int32?
    /// The key with which it has connected; `nil` for a connection without keys.
    package var key: PublicKey?
}

/// Is notified when peers attach to a hub and leave it.
@MainActor
package protocol HubObserver: AnyObject {
    func attached(_ link: HubLink)
    /// A peer's first snapshot has been sent.
    func synchronized(_ link: HubLink)
    func detached(_ link: HubLink, _ departure: Departure)
    /// A message of a peer was refused because its key does not allow it, or because it names a user that there cannot be.
    func refused(_ message: String, of link: HubLink, for user: String?, _ reason: String)
    /// Called repeatedly with the links that have missed a heartbeat.
    func quiet(_ links: Set<UInt64>)
    /// A peer has shown that it lives.
    func heard(_ link: HubLink)
}

/// Decides which frames a hub may route.
@MainActor
package protocol HubRouting: AnyObject {
    /// Returns why a frame of a peer must not be routed; `nil` when it may be.
    func rejection(of frame: Frame, from link: HubLink) -> FrameRejection?
    /// Returns the configuration of a session; `nil` if there is no such session.
    func configuration(ofSession id: String) -> String?
    /// Returns whether a peer that handles this request is about to attach.
    func expectsHandler(of request: Frame) -> Bool
}

/// Why a frame was not routed.
package struct FrameRejection {
    /// The name of the counter that is incremented.
    package var reason: String
    /// The error for the sender of a request; `nil` for no reply.
    package var error: MessageError?

    package init(_ reason: String, _ error: MessageError? = nil) {
        self.reason = reason
        self.error = error
    }
}

/// Owns the container that a hub publishes.
@MainActor
package protocol ContainerOwner: AnyObject {
    /// Returns the changes since a revision, for a new peer or for one that has missed changes.
    func snapshot(after revision: UInt64) -> DependencySnapshot
    /// Handles a frame with which a peer sets entries.
    func publish(_ frame: Frame, from link: HubLink)
}

/// Handles the messages that no peer of a hub handles: the responder chain of the hub's own process.
@MainActor
package protocol HubUpstream: AnyObject {
    /// Returns whether it handles a request, as far as that is known before the request is sent.
    func knows(_ request: Frame) -> Bool
    /// Handles a request. When this returns, its handler has begun, or it has ended.
    /// - Parameters:
    ///   - link: the id of the link over which the request arrived. Together with the frame's id it identifies the
    ///     request.
    ///   - actor: the text of the actor.
    ///   - timeLeft: how long its sender still waits.
    ///   - sender: gets the reply.
    func receive(_ request: Frame, from link: UInt64, actor: String, timeLeft: Duration, sender: any RequestSender)
    /// Handles a post.
    /// - Parameter actor: the text of the actor.
    func receive(post: Frame, actor: String)
    /// Returns whether a request is being handled.
    func isHandling(_ id: UInt64, of link: UInt64) -> Bool
    /// Cancels a request, because its sender no longer waits.
    func cancel(_ id: UInt64, of link: UInt64)
    /// Cancels the requests of a link that is gone.
    /// - Parameter sharer: whose share of the requests its peer uses up (``HubLink/lastingSharer``).
    func cancelAll(of link: UInt64, sharing sharer: String)
}

/// Keeps records of the requests that must not be handled twice.
@MainActor
package protocol RequestLedger: AnyObject {
    /// How long a request on record may wait.
    var window: Duration { get }
    /// Records a peer's request, and then carries it on with ``RequestRouter/carry(_:from:origin:deadline:now:)``.
    func received(_ frame: Frame, from link: HubLink, deadline: MonotonicInstant, now: MonotonicInstant)
    /// Returns whether a request would get a record now.
    func isNew(_ frame: Frame, from link: HubLink) -> Bool
    /// Returns whether a request with this id is in progress.
    func has(_ id: UInt64, of link: HubLink) -> Bool
    /// Notes that a request is among the router's forwards. It may still be refused before it is sent.
    func forwarded(_ key: RequestKey, as id: UInt64)
    /// Notes the reply or failure that ended a request.
    func ended(_ key: RequestKey, with end: Frame)
    /// Notes that a peer no longer waits for the reply to its request.
    func cancel(_ id: UInt64, from link: HubLink)
    /// Notes that a peer is gone. Its requests continue.
    func detached(_ link: HubLink)
}

/// Identifies a request on record.
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
    /// Whether another process listens there.
    package let isInUse: Bool
    package let description: String

    init(_ endpoint: String, _ error: ZeroMQError) {
        isInUse = error.isAddressInUse
        // What is wrong with a file says its own way out.
        description = "cannot listen: \(error)" + (endpoint.hasPrefix("tcp:") ? "; \(Self.advice(error))" : "")
    }

    /// What to write instead of an address on which libzmq cannot listen. It looks up no names there.
    private static func advice(_ error: ZeroMQError) -> String {
        switch error.number {
        case ENODEV:
            "a name is not looked up: write the number of an address of this machine, such as 127.0.0.1 for localhost, or "
                + "the name of a network interface"
        case EADDRNOTAVAIL: "this machine does not have that address; choose another with --listen"
        default: "choose another address with --listen"
        }
    }
}
