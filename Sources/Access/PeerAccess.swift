package import Bus
package import Messaging
package import ZeroMQ

/// What the peer of a key may do at a host: one place for all decisions. It is a value that knows only the key's line and
/// what is wanted.
///
/// The peers of this machine, which have no key, are not asked: whoever may enter the host's folder may do everything.
package struct PeerAccess: Hashable, Sendable {
    package let entry: KeyEntry
    /// The key with which the peer has connected: the entry's, or for a while the one before.
    package let key: PublicKey

    package init(_ entry: KeyEntry, key: PublicKey? = nil) { (self.entry, self.key) = (entry, key ?? entry.key) }

    /// Whether a line that was changed means the same: its comment, its keys and its times have no effect here.
    package func allowsSame(as other: PeerAccess) -> Bool {
        entry.name == other.entry.name && entry.role == other.entry.role && entry.grants == other.entry.grants
    }

    // MARK: - The hello

    /// Returns why a peer with this key may not attach; `nil` when it may.
    package func refusal(of hello: Hello) -> Refusal? {
        guard entry.covers(hello.peer) else {
            return Refusal(
                .unauthorized,
                "the key '\(entry.name)' is for peers with the name '\(entry.name)', or with one that begins with "
                    + "'\(entry.name)-'; '\(hello.peer)' is neither: give it another name with --name")
        }
        guard entry.role.peerRoles.contains(hello.role) else {
            return Refusal(
                .unauthorized,
                "the key '\(entry.name)' has the role '\(entry.role.rawValue)', and '\(hello.peer)' attaches in "
                    + "the role '\(hello.role.rawValue)'")
        }
        for (kind, what, names) in [
            (Grants.Kind.handle, "handle", hello.handles), (.handle, "offer the service", hello.services),
            (.provide, "provide the entry", hello.provides), (.offer, "run scenes of", hello.scenes),
        ] {
            guard let name = names.first(where: { !allows(kind, $0) }) else { continue }
            return Refusal(
                .unauthorized,
                "the key '\(entry.name)' may not \(what) '\(name)': on the host, add the grant \(kind.rawValue)=\(name) to "
                    + "its line, or have '\(hello.peer)' not declare it")
        }
        return nil
    }

    // MARK: - Frames

    /// Returns why a frame of the peer is refused; `nil` when it is not.
    ///
    /// All kinds of frames are listed, so that a new kind does not compile before it is decided.
    /// - Parameters:
    ///   - provesSession: whether the frame belongs to the session that it names: it has the session's token, or passes on a
    ///     message of that session.
    ///   - configuration: returns the configuration of a session; `nil` if there is no such session.
    package func refusal(
        of frame: borrowing Frame, provesSession: Bool, configuration: (String) -> String?
    ) -> MessageError? {
        switch frame.kind {
        case .request, .post:
            if !frame.session.isEmpty, !provesSession {
                return unauthorized(frame.name, "it has no part in the session '\(frame.session)'")
            }
            return refusal(ofSending: frame.isAddressed ? String(frame.messageName) : frame.name)
                ?? refusal(ofSessionIn: frame, configuration: configuration)
        // Answers to what the host has sent to this peer, and the end of its own requests.
        case .reply, .failure, .cancel: return nil
        // The link itself.
        case .hello, .heartbeat, .goodbye: return nil
        case .synchronize: return entry.role.readsContainer ? nil : unauthorized("", "it does not read the container")
        // The container leaves out what the hello does not list, and that was decided with the hello.
        case .publish:
            return grants[.provide] != nil || entry.role.allowsAll(.provide)
                ? nil : unauthorized("", "it provides no entries")
        // Only the host sends these. They are dropped.
        case .welcome, .refusal, .snapshot, .delta, .beacon, .tap: return nil
        }
    }

    /// Whether no message is refused but those of the protocol, and those of a session in which it has no part. To know it
    /// beforehand is much faster than to ask for each message.
    package var sendsAll: Bool { grants[.send] == nil && grants[.session] == nil && entry.role.allowsAll(.send) }

    /// Returns why the peer may not act for a user of its own; `nil` when it may.
    package func refusal(ofActingFor user: String, with message: String) -> MessageError? {
        allows(.user, user) ? nil : unauthorized(message, "no grant of it is for acting for the user '\(user)'")
    }

    private func refusal(ofSending message: String) -> MessageError? {
        if ProtocolMessages.contains(message) {
            guard let right = HostMessageRights.right(for: message),
                entry.role.hostRights.contains(right) || isGranted(message, right)
            else { return unauthorized(message, "its role '\(entry.role.rawValue)' does not send it") }
            return nil
        }
        return allows(.send, message) ? nil : unauthorized(message, "no grant of it matches the message")
    }

    /// Returns why a message to the host may not be about the session that it names.
    ///
    /// What cannot be read is refused: the host must not read something else in it.
    private func refusal(
        ofSessionIn frame: borrowing Frame, configuration: (String) -> String?
    ) -> MessageError? {
        guard grants[.session] != nil, frame.isOfProtocol else { return nil }
        let isAllowed: Bool
        switch HostMessageRights.scope(of: frame.name) {
        case .session:
            let named = try? frame.decodePayload(as: NamedSession.self).session
            isAllowed = named.map { mayUse($0, of: configuration($0)) } ?? false
        case .configuration:
            // The new session's identifier is a choice of the sender.
            let named = try? frame.decodePayload(as: NamedConfiguration.self).configuration
            isAllowed = named.map { allows(.session, $0) } ?? false
        case .none: isAllowed = true
        case .all: isAllowed = false
        }
        return isAllowed
            ? nil
            : unauthorized(frame.name, "its grants are for some sessions, and the message is not about one of them")
    }

    private struct NamedSession: Decodable { let session: String }
    private struct NamedConfiguration: Decodable { let configuration: String }

    // MARK: - What it gets

    /// Whether it may read an entry of the container. The list of the entries whose owners are gone is for all who read.
    ///
    /// An entry of a session is for those who may read its name and the session; a worker may read those of the sessions
    /// that it may run. Once the session is closed, only its removal is left to read.
    /// - Parameter configuration: returns the configuration of a session; `nil` if there is no such session.
    package func mayRead(_ key: String, configuration: (String) -> String?) -> Bool {
        guard entry.role.readsContainer, key != AppDependency.absentKey else { return entry.role.readsContainer }
        guard let place = SessionEntryKey(key) else { return allows(.read, key) }
        guard allows(.read, place.name) else { return false }
        guard let configuration = configuration(place.session) else { return true }
        return entry.role == .worker ? allows(.offer, configuration) : mayUse(place.session, of: configuration)
    }

    /// Whether it may read each entry, now and later.
    package var readsAll: Bool {
        guard entry.role.readsContainer, grants[.read] == nil, grants[.session] == nil else { return false }
        return entry.role != .worker || grants[.offer] == nil
    }

    /// Whether it may read a session, and act for it if its role acts.
    package func mayUse(_ session: String, of configuration: String?) -> Bool {
        allows(.session, session) || configuration.map { allows(.session, $0) } ?? false
    }

    /// Whether it sees a record of the traffic, if it watches.
    package func maySee(_ record: TapRecord, configuration: (String) -> String?) -> Bool {
        (record.name.isEmpty || allows(.watch, record.name))
            && (record.session.isEmpty || mayUse(record.session, of: configuration(record.session)))
    }

    /// Whether it may read what processes print, which may have secrets in it.
    package var readsOutput: Bool {
        grants[.session] == nil && refusal(ofSending: HostMessagesList.hostLogs.name) == nil
    }

    /// A grant widens the role by one message of the protocol, unless it is one of workers or of invitations.
    private func isGranted(_ message: String, _ right: HostRight) -> Bool {
        [.read, .act, .watch].contains(right) && grants[.send]?.contains { $0.names(message) } == true
    }

    private func unauthorized(_ message: String, _ reason: String) -> MessageError {
        MessageError(.unauthorized, message: message, detail: "the key '\(entry.name)' may not: \(reason)")
    }

    /// What is granted to the key itself. The grants of an invitation are those of the key that takes its place.
    private var grants: Grants { entry.role == .invitation ? Grants() : entry.grants }

    private func allows(_ kind: Grants.Kind, _ name: String) -> Bool {
        guard let patterns = grants[kind] else { return entry.role.allowsAll(kind) }
        return patterns.contains { $0.matches(name) }
    }
}
