// Hot path: each request uses it. See "Hot paths" in Contributing.

package import Messaging

/// A message of the bus protocol: a fixed binary header, three short texts, and a payload in CBOR.
///
/// A frame is in one part of a ZeroMQ message, because three parts would halve the throughput. All numbers are in network byte
/// order. The layout is specified in the package's protocol article; golden vectors in the tests check it.
///
///      0  magic, 0x53            8  id          32  fencing token    72  length of name
///      1  version               16  parent      40  revision         73  length of session
///      2  kind                  24  deadline    48  trace id         74  length of sender
///      3  flags                                 64  span id          75  length of message id
///      4  length of the frame                                        76  name, session, sender, message id, actor, payload
package struct Frame: Sendable {
    package static let magic: UInt8 = 0x53
    package static let version: UInt8 = 1
    package static let headerSize = 76
    /// The maximum size of a frame, in bytes.
    package static let maximumSize = 16 << 20
    /// An upper bound for the size of the encoded frame, in bytes. It assumes texts of the maximum length.
    package var sizeBound: Int { Self.headerSize + 5 * 255 + payload.count }

    /// The properties of a frame.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        // The generic method costs each decision about a frame three times as much in other modules.
        package func contains(_ other: Flags) -> Bool { rawValue & other.rawValue == other.rawValue }

        /// A handler has passed the message on; `parent` names the message that it received. The climb continues above
        /// that handler.
        package static let passedOn = Flags(rawValue: 1)
        /// The last of several frames, such as the last part of a snapshot.
        package static let last = Flags(rawValue: 2)
        /// A request that may be handled twice. It is sent again when its outcome is unknown.
        package static let idempotent = Flags(rawValue: 4)
        /// A request that must not be handled twice. The host keeps a record of it.
        package static let once = Flags(rawValue: 8)
        /// A request that was sent before, on a link that was lost. It may have been delivered then.
        package static let copy = Flags(rawValue: 16)
        /// The frame names an actor. It is set only in encoded frames.
        static let hasActor = Flags(rawValue: 32)
    }

    // No property has a default value, and each initializer sets each property once: for a property that is set twice, the
    // compiler copies the whole frame.

    package var kind: FrameKind
    package var flags: Flags
    /// Identifies a request on its link and in its direction. The reply and the cancel have the same id. The reply to a
    /// heartbeat repeats its id.
    package var id: UInt64
    /// The id under which the sender received the message that it passes on, or handles while it sends this one.
    package var parent: UInt64
    /// The time at which the sender stops waiting, in microseconds on the host's clock; 0 for never.
    package var deadline: UInt64
    /// The fencing token with which the sender acts for its session.
    package var token: UInt64
    /// The revision of the container that the frame refers to.
    package var revision: UInt64
    package var trace: TraceContext
    /// The message's name.
    package var name: String {
        get { storedName }
        set {
            storedName = newValue
            isAddressed = FrameText.isAddressed(newValue)
            isPlain = false
            nameIndex = .none
        }
    }
    var storedName: String
    /// Whether the message is addressed to a service instead of climbing the responder chain. It is stored because
    /// several decisions about a frame depend on it.
    package internal(set) var isAddressed: Bool
    /// Whether the message is known to climb the chain and to be none of the protocol's own: most of what peers send. The
    /// decoder knows it; `false` says nothing.
    package internal(set) var isPlain: Bool
    /// The name's index in the ``NameTable`` of this process's side of the bus, if it is known to have one.
    package internal(set) var nameIndex: NameIndex
    /// The session that the frame belongs to.
    package var session: String
    /// The class name of the responder that sent it.
    package var sender: String
    /// Identifies the request in all of its copies; `nil` for a request that is never sent again.
    package var messageID: MessageID?
    /// In what the host sends, the text of the ``MessageActor`` who acts with it. In what a peer sends, the user for whom the
    /// peer says it acts, or empty.
    package var actor: String
    /// One CBOR item, or empty.
    package var payload: ArraySlice<UInt8>

    /// Creates a frame.
    /// - Parameter name: the message's name; empty for a frame without a message.
    package init(_ kind: FrameKind, name: String = "") {
        self.kind = kind
        flags = []
        id = 0
        parent = 0
        deadline = 0
        token = 0
        revision = 0
        trace = .none
        storedName = name
        isAddressed = FrameText.isAddressed(name)
        isPlain = false
        nameIndex = .none
        session = ""
        sender = ""
        messageID = nil
        actor = ""
        payload = []
    }

    /// Creates a frame with a message.
    /// - Parameters:
    ///   - isAddressed: whether the name addresses a service.
    ///   - nameIndex: the name's index in the table of the link on which it is sent.
    ///   - flags: the flags besides those of the delivery.
    @inline(__always)
    package init(
        _ kind: FrameKind, name: String, isAddressed: Bool, nameIndex: NameIndex, session: String, sender: String,
        token: UInt64,
        delivery: MessageDelivery,
        flags: Flags, parent: UInt64, trace: TraceContext, messageID: MessageID?
    ) {
        self.kind = kind
        self.flags =
            switch delivery {
            case .atMostOnce: flags
            case .idempotent: flags.union(.idempotent)
            case .once: flags.union(.once)
            }
        id = 0
        self.parent = parent
        deadline = 0
        self.token = token
        revision = 0
        self.trace = trace
        storedName = name
        self.isAddressed = isAddressed
        isPlain = false
        self.nameIndex = nameIndex
        self.session = session
        self.sender = sender
        self.messageID = messageID
        actor = ""
        payload = []
    }

    /// Creates the reply to a request, without its payload.
    /// - Parameter nameIndex: the name's index as in the request.
    @inline(__always)
    package init(replyTo id: UInt64, name: String, nameIndex: NameIndex, session: String, revision: UInt64) {
        kind = .reply
        flags = []
        self.id = id
        parent = 0
        deadline = 0
        token = 0
        self.revision = revision
        trace = .none
        storedName = name
        // A reply goes to whoever has asked. To look for a service in its name would cost more than the other fields together.
        isAddressed = false
        isPlain = false
        self.nameIndex = nameIndex
        self.session = session
        sender = ""
        messageID = nil
        actor = ""
        payload = []
    }

    /// Names the one who acts with it, unless it names another already.
    package mutating func attest(_ actor: String) {
        if self.actor.isEmpty { self.actor = actor }
    }

    /// Sets the name, and the index that it has in the ``NameTable``.
    package mutating func setName(_ name: String, _ index: NameIndex) {
        self.name = name
        nameIndex = index
    }

    // MARK: - Frames of the container

    // Frames of the container have no id, parent and deadline. They use these header fields for the values below.

    /// The epoch of the host to which the container belongs.
    package var epoch: UInt64 {
        get { id }
        set { id = newValue }
    }

    /// The revision that the change follows.
    package var previous: UInt64 {
        get { parent }
        set { parent = newValue }
    }

    /// The number of the part of a snapshot that the frame contains or requests. Of a publish and of its answer, the
    /// publish's number; 0 for no answer.
    package var part: UInt64 {
        get { deadline }
        set { deadline = newValue }
    }

    // MARK: - Requests

    /// How the request is delivered.
    package var delivery: MessageDelivery {
        get { flags.contains(.once) ? .once : flags.contains(.idempotent) ? .idempotent : .atMostOnce }
        set {
            flags.subtract([.once, .idempotent])
            if newValue == .once { flags.insert(.once) }
            if newValue == .idempotent { flags.insert(.idempotent) }
        }
    }

    // MARK: - The places of fields

    package static let lengthOffset = 4
    static let flagsOffset = 3
    static let messageIDSize = 16
    static let tokenOffset = 32
    static let revisionOffset = 40
    static let idOffset = 8
    static let deadlineOffset = 24
}
