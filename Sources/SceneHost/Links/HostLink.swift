import Bus
import ZeroMQ

/// A peer that is attached to the host.
@MainActor
final class HostLink {
    /// Names the link in the host's life.
    let id: UInt64
    let routingID: RoutingID
    let hello: Hello
    /// The entries that it may set.
    let provides: Set<String>
    var liveness: Liveness
    /// Its subscriptions have reached the publisher.
    var isSubscribed = false
    /// Its copy of the container is complete as soon as it has read what was sent: what is sent to it now finds its dependencies there.
    var isSynchronized = false
    /// The snapshot whose parts it asks for; `nil` between two.
    var snapshot: Snapshot?
    /// Detaches the link of a process that has ended, when what it had sent before has been read.
    var end: LoopTimer?
    /// Its connection is closed: it has ended, or attaches anew. Which of the two shows soon.
    var isGone = false
    /// Its requests that have no end yet.
    var inFlight = 0
    /// Where they are among the forwards of the host, by the peer's ids, as far as they were handed on.
    var forwards: [UInt64: UInt64] = [:]
    /// Requests of the host that it takes at a time.
    var credits: Int { max(1, hello.credits ?? .max) }
    /// What it says that it has dropped, by reason.
    var drops: [String: UInt64] = [:]
    /// Requests that the host has sent to it and that it has not answered.
    var pending = 0

    init(id: UInt64, routingID: RoutingID, hello: Hello, liveness: Liveness) {
        self.id = id
        self.routingID = routingID
        self.hello = hello
        provides = Set(hello.provides)
        self.liveness = liveness
    }

    /// The peer's name, for people.
    var name: String { hello.peer }
}
