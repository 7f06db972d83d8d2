import Bus
import CBOR

/// What the open sessions take of the room that all peers share: their number, their texts and their states.
///
/// A session counts against the peer that has opened it, by its key or its name, and its state against the process or
/// key of the worker that has sent it. The session stays when they leave. It is a value.
struct SessionRoom {
    /// What a session takes.
    struct Share: Hashable {
        /// The peer that has opened it; empty for this process.
        fileprivate(set) var opener: String
        /// The bytes of its role and of the name of its configuration.
        fileprivate(set) var names: Int
        /// The bytes of the links that its next scene opens.
        fileprivate(set) var links: Int
        /// The process or key that has sent its state.
        fileprivate(set) var sender: String
        /// The bytes of its state.
        fileprivate(set) var state: Int
    }

    /// Has what earlier hosts have stored. No peer has such a name.
    private static let earlier = "an earlier host"
    /// The bytes of states that a process or key gets even of the reserve.
    private static let assuredStates = 4 << 20

    private var counts: SharedRoom<String>
    private var texts: SharedRoom<String>
    private var states: SharedRoom<String>

    /// - Parameters:
    ///   - sessions: the maximum number of open sessions.
    ///   - texts: the maximum number of bytes of their names and of the links that wait for their scenes.
    ///   - states: the maximum number of bytes of their states.
    init(sessions: Int = 250_000, texts: Int = 64 << 20, states: Int = 512 << 20) {
        counts = SharedRoom(limit: sessions)
        self.texts = SharedRoom(limit: texts)
        self.states = SharedRoom(limit: states, assured: Self.assuredStates)
    }

    /// The number of sessions.
    var sessionCount: Int { counts.used }
    /// The bytes of their names and links.
    var textBytes: Int { texts.used }
    /// The bytes of their states.
    var stateBytes: Int { states.used }

    // MARK: - Sessions

    /// Takes room for a new session.
    /// - Parameter opener: the name of the key, or of the peer, that opens it; empty for this process.
    /// - Throws: ``SceneCommandError`` when there is none for this peer. For this process there always is.
    mutating func take(
        for record: SessionRecord, links: [CBORRaw], by opener: String
    ) throws(SceneCommandError) -> Share {
        let share = Share(record, links, by: opener)
        guard opener.isEmpty || counts.allows(to: opener) else {
            throw SceneCommandError(
                .overloaded,
                "'\(opener)' has opened \(counts.held(by: opener)) of the \(counts.used) open sessions, and there may be "
                    + "\(counts.share.limit); each peer has its share; 'scenebus sessions close' makes room")
        }
        guard opener.isEmpty || texts.allows(share.names + share.links, to: opener) else {
            throw SceneCommandError(
                .overloaded,
                "a session with \(share.names + share.links) bytes of names and links has no room: '\(opener)' has "
                    + "\(texts.held(by: opener)) of \(texts.used) bytes, and there may be \(texts.share.limit); each "
                    + "peer has its share; 'scenebus sessions close' makes room, and links leave when scenes have them")
        }
        add(share)
        return share
    }

    /// Takes room for a session that is open already.
    mutating func add(_ record: SessionRecord, links: [CBORRaw] = []) -> Share {
        let share = Share(record, links, by: Self.earlier)
        add(share)
        return share
    }

    private mutating func add(_ share: Share) {
        counts.add(for: share.opener)
        texts.add(share.names + share.links, for: share.opener)
        states.add(share.state, for: share.sender)
    }

    /// Gives back what a session takes.
    mutating func giveBack(_ share: Share) {
        counts.giveBack(of: share.opener)
        texts.giveBack(share.names + share.links, of: share.opener)
        states.giveBack(share.state, of: share.sender)
    }

    /// Notes the links that a session keeps of those that it had.
    mutating func keep(links: [CBORRaw], _ share: inout Share) {
        let size = Share.size(of: links)
        texts.giveBack(share.links - size, of: share.opener)
        share.links = size
    }

    // MARK: - States

    /// Checks that there is room for a session's next state.
    /// - Parameters:
    ///   - name: the name of the worker that has sent it.
    ///   - sender: its process or key.
    /// - Throws: ``SceneCommandError`` when there is none for this sender. A state that is not larger than the one
    ///   before always has room.
    func check(_ state: CBORRaw, from name: String, by sender: String, _ share: Share) throws(SceneCommandError) {
        let size = state.bytes.count
        guard size > share.state else { return }
        let held = states.held(by: sender)
        let isSame = sender == share.sender
        guard
            states.share.allows(
                size, toPeerWith: held - (isSame ? share.state : 0), used: states.used - share.state)
        else {
            throw SceneCommandError(
                .overloaded,
                "a state of \(size) bytes has no room: those from the key, process or machine of '\(name)' have "
                    + "\(held) bytes, of \(states.used) in all and \(states.share.limit) at most; each has its share; "
                    + "smaller states, or 'scenebus sessions close', make room")
        }
    }

    /// Notes a session's new state.
    mutating func keep(_ state: CBORRaw?, by sender: String, _ share: inout Share) {
        states.giveBack(share.state, of: share.sender)
        share.state = state?.bytes.count ?? 0
        share.sender = sender
        states.add(share.state, for: sender)
    }
}

extension SessionRoom.Share {
    fileprivate init(_ record: SessionRecord, _ links: [CBORRaw], by opener: String) {
        self.init(
            opener: opener, names: record.role.utf8.count + record.configuration.utf8.count,
            links: Self.size(of: links), sender: opener, state: record.state?.bytes.count ?? 0)
    }

    fileprivate static func size(of links: [CBORRaw]) -> Int { links.reduce(0) { $0 + $1.bytes.count } }
}
