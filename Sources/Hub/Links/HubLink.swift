package import Access
package import Bus
import DequeModule
import Messaging
import ZeroMQ

/// A peer that is attached to a hub.
@MainActor
package final class HubLink {
    /// The link's number, which is unique in the host's life.
    package let id: UInt64
    let routingID: RoutingID
    package let hello: Hello
    /// Who has opened the peer's connection, as the system attests it.
    let opener: PeerOwner
    /// Whose share of the places it takes: its key's, or else the opener's.
    let owner: PeerOwner
    /// Whose share of a room that all peers share is used up by what the peer sends: its key's or its process's, over the
    /// network without a key its machine's, or its own where the system does not know the process. No peer has such a name as
    /// the first three.
    package var sharer: String {
        switch owner {
        case .key(let name): "key \(name)"
        case .process(let process): "process \(process)"
        case .machine(let machine): "machine \(machine)"
        case .unknown: name
        }
    }
    /// Whose share it uses up of what is left of a peer for the next process of its name: its key's, or its own without a key.
    package var lastingSharer: String { access == nil ? name : sharer }
    /// What the peer's key allows; `nil` for a peer without a key, which may do everything.
    package let access: PeerAccess?
    /// Whether the peer has a key. It is asked for each frame, and costs less than to read ``access``.
    let hasKey: Bool
    /// ``PeerAccess/sendsAll`` of its key.
    let sendsAll: Bool
    /// The text of the ``MessageActor`` for what the peer does on its own account.
    let actor: String
    /// Whether the peer reads in a frame who acts.
    let readsActors: Bool
    /// The messages that were handed on to the peer lately.
    var handed = HandedMessages()
    /// What it takes a place of.
    let place: LinkPlaces.Kind
    /// Whether it is an operator that has given up its place, and has come back at once.
    var hasComeBack = false
    /// The entries that it may set.
    package let provides: Set<String>
    /// How many names of the hub's table the peer knows.
    let names: Int
    // The runtime does not check accesses to it for overlaps: see "Hot paths" in Contributing. It is a value that calls no
    // other code.
    @exclusivity(unchecked) package var traffic: HubLinkTraffic
    /// The peer's connection; `nil` within the process.
    var connection: ConnectionGate.Connection?
    /// When the peer was last sent an unasked heartbeat, because its own may not have been read yet.
    var reassured: MonotonicInstant?
    /// Whether the whole first snapshot has been sent. When the peer has read it, its copy of the container is
    /// complete, so messages that are sent from now on find their dependencies there.
    var isSynchronized = false
    /// The snapshot whose parts the peer requests; `nil` between two snapshots.
    var snapshot: Snapshot?
    /// The part of the snapshot for which there was no room in the window.
    var unsentPart: UInt64?
    /// The revision after which the peer has requested a snapshot; `nil` when no snapshot waits for its turn.
    var waitsForSnapshot: UInt64?
    /// Whether the snapshot did not wait for its turn.
    var isAhead = false
    /// The part of a snapshot that was sent last.
    var sentPart: SentPart?
    /// Detaches the link of an ended process, once the frames that it had sent before have been read.
    var end: LoopTimer?
    /// What the peer handles, as keys of ``WaitingIDs``.
    private(set) lazy var handled = WaitingIDs.keys(of: hello)
    /// Whether the peer handles a message, or offers a service, to which any message may be addressed.
    func mayBeHanded(_ message: String) -> Bool { !hello.services.isEmpty || handled.contains(message[...]) }
    /// The link of the sender whose waiting request the peer got last. The next turn is another sender's.
    var lastWaitingSender: UInt64 = 0
    /// How many requests of the host the peer handles at a time.
    var credits: Int { Credits.granted(hello.credits) }
    /// What the peer reports to have dropped, by reason.
    package var drops: [String: UInt64] = [:]

    init(
        id: UInt64, routingID: RoutingID, hello: Hello, opener: PeerOwner = .unknown, access: PeerAccess? = nil,
        place: LinkPlaces.Kind = .shared, names: Int = 0, liveness: Liveness, unread: UInt64 = 0
    ) {
        self.id = id
        self.routingID = routingID
        self.hello = hello
        self.opener = opener
        self.access = access
        owner = PeerOwner(access, opener)
        hasKey = access != nil
        sendsAll = access?.sendsAll ?? true
        actor = MessageActor(role: hello.role, peer: hello.peer, key: access?.entry.name).text
        readsActors = hello.actors == true
        self.place = place
        provides = Set(hello.provides)
        self.names = names
        traffic = HubLinkTraffic(accepting: hello.batch, liveness: liveness, unread: unread)
    }

    /// The peer's name, for people.
    package var name: String { hello.peer }

    /// Whether the peer is attached: the hub has not removed the link.
    var isAttached: Bool { traffic.isAttached }
    /// Whether the peer gets nothing more.
    package var isGone: Bool { traffic.isGone }
    /// The number of the peer's requests without a reply: see ``Credits/ofPeer``.
    package var inFlight: Int { traffic.inFlight }
    /// The number of the host's requests to the peer that have no reply yet: at most ``credits``.
    package var pending: Int { traffic.handedOn.count }
    /// Whether so many of the host's requests wait for this peer that one which can wait should.
    package var isBusy: Bool { pending >= credits / 2 }
}
