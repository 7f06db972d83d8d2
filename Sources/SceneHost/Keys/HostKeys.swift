import Access
import Bus
import Foundation
import Hub
import Logging
import Messaging
import PeerLink
import ZeroMQ

/// The key of a host that listens on TCP, and the keys that it allows.
@MainActor
final class HostKeys {
    /// The interval of the looks at the list. A key that was removed has no link any more within a second.
    private static let interval = Duration.milliseconds(500)

    var own: KeyPair
    /// The key that is about to take its place; `nil` for none.
    var next: NextHostKey?
    var nextVersion: PrivateFile.Version?
    /// Why it cannot be replaced; `nil` for no reason.
    var ownProblem: String?
    let folder: KeyFolder
    let host: BusName
    let file: KeyListFile
    let hub: Hub
    let logger: Logger
    /// Keeps the changes of the list; `nil` while the host starts.
    var audit: AuditBook?
    private var handler: AuthenticationHandler?
    private var table = KeyTable()
    private var version: PrivateFile.Version?
    private var hasRead = false
    /// Whether the links must be looked at because a peer has changed the list. They are looked at when it has the reply.
    var hasEndedKeys = false
    /// What is wrong with the list; empty for nothing.
    private var listProblems: [String] = []
    /// What is wrong with the keys; empty for nothing.
    var problems: [String] { listProblems + (ownProblem.map { [$0] } ?? []) }
    private var logged = LoggedKeys()
    private lazy var timer = LoopTimer { [weak self] in self?.look() }

    /// Reads the keys, or makes the host's own at the first start.
    /// - Throws: ``PrivatePathError`` if a file of the keys cannot be used, or others can read the host's own key;
    ///   ``ZeroMQError``.
    init(folder: KeyFolder, host: BusName, hub: Hub, context: SocketContext, logger: Logger) throws {
        (self.hub, self.folder, self.host, self.logger) = (hub, folder, host, logger)
        file = KeyListFile(folder.listFile(of: host))
        let (keys, isNew) = try folder.keyOrNew(in: folder.keyFile(of: host))
        own = keys
        if isNew { logger.notice("made a key for this host", metadata: ["key": "\(keys.publicKey)"]) }
        try read()
        handler = try AuthenticationHandler(in: context) { [weak self] in self?.allows($0) ?? false }
        // Before the sockets are opened: the time may have come while no host ran.
        lookAtOwnKey()
    }

    /// The domain of the publisher's socket.
    private static let publisher = "publisher"

    /// The security of the host's sockets; `nil` after ``end()``.
    var security: FlowSecurity? {
        handler.map {
            FlowSecurity(
                bus: .server(own, $0, domain: nil), publisher: .server(own, $0, domain: Self.publisher))
        }
    }

    /// Returns what the peers of a key may do; `nil` for a key that is not allowed.
    func access(of key: PublicKey) -> PeerAccess? { table.entry(of: key, at: Date()).map { PeerAccess($0, key: key) } }

    /// Returns whether a key was replaced by another one of the same peer, and is not valid any more.
    func wasReplaced(_ key: PublicKey) -> Bool { table.wasReplaced(key, at: Date()) }

    /// Whether some key may not read an entry.
    func hides(_ entry: String, configuration: (String) -> String?) -> Bool {
        table.hides(entry, configuration: configuration)
    }

    func begin() { timer.set(for: .now + Self.interval) }

    func end() {
        timer.cancel()
        handler?.close()
        handler = nil
    }

    /// Looks at the links when the peer that has changed the list has the reply.
    func endKeysSoon() {
        hasEndedKeys = true
        timer.set(noLaterThan: .now + .milliseconds(50))
    }

    private func allows(_ question: AuthenticationHandler.Question) -> Bool {
        // It may have been allowed just now.
        if access(of: question.key) == nil { readIfChanged() }
        if let access = access(of: question.key) {
            return question.domain != Self.publisher || access.entry.role.readsContainer
        }
        hub.count("refused: handshake with a key that is not allowed")
        // A peer tries again and again, and a stranger may have any number of keys.
        if logged.allows(question.key, at: .now) {
            logger.warning(
                "refused a key that is not allowed",
                metadata: ["key": "\(question.key)", "address": "\(String(foreign: question.address))"])
        }
        return false
    }

    // MARK: - The list

    private func look() {
        timer.set(for: .now + Self.interval)
        lookAtOwnKey()
        readIfChanged()
        if table.removeExpired(at: Date()) || hasEndedKeys { hub.keysChanged() }
        hasEndedKeys = false
    }

    /// Puts the key of an invited machine in the place of the invitation's.
    /// - Parameter invitation: the line of the invitation's key.
    /// - Throws: ``SceneCommandError`` if the key cannot be used, or if the invitation was used or withdrawn.
    func enroll(_ text: String, invitedAs invitation: KeyEntry) throws -> Enrollment {
        guard let key = PublicKey(text), key != invitation.key, let role = invitation.invites else {
            throw SceneCommandError(
                .refused, "'\(text)' is no public key of the machine, which has 64 hexadecimal digits")
        }
        try editing { list in
            guard list[invitation.name] == invitation, !invitation.isExpired(at: Date()) else {
                throw SceneCommandError(
                    .refused,
                    "the invitation was used, withdrawn or has expired; make a new one with 'scenebus invite' on the host"
                )
            }
            var entry = KeyEntry(name: invitation.name, role: role, key: key)
            (entry.grants, entry.comment) = (invitation.grants, invitation.comment)
            entry.added = Date()
            try list.set(entry)
        }
        logger.notice(
            "an invited machine has handed in its key",
            metadata: ["name": "\(invitation.name)", "role": "\(role.rawValue)", "key": "\(key)"])
        return Enrollment(name: invitation.name, role: role.rawValue)
    }

    private func readIfChanged() {
        guard PrivateFile.Version(of: file.path) != version else { return }
        do {
            if try read() { hub.keysChanged() }
        } catch {
            // The last list stays in force.
            set([error.description])
        }
    }

    /// Reads the list and puts it in force.
    /// - Returns: whether it allows less than before, or something else.
    @discardableResult
    func read() throws(PrivatePathError) -> Bool {
        // Taken before reading: a change meanwhile is seen the next time.
        let current = PrivateFile.Version(of: file.path)
        if current == nil, hasRead {
            version = nil
            throw PrivatePathError(
                .missing, "\(file.path) is gone; the keys that it had stay in force until it is back")
        }
        let list = try file.read()
        (version, hasRead) = (current, true)
        var next = table.next(list)
        // Also those that the file still has are no news each time that it is read.
        _ = next.removeExpired(at: Date())
        for entry in next.added(since: table) { audit?.keys("allow a key", entry.name, entry.role.rawValue) }
        let removed = table.added(since: next)
        for entry in removed { audit?.keys("remove a key", entry.name, entry.role.rawValue) }
        table = next
        logged.forgetKeys()
        set(list.problems.map { "\(file.path), \($0)" })
        return !removed.isEmpty
    }

    private func set(_ problems: [String]) {
        guard problems != listProblems else { return }
        listProblems = problems
        for problem in problems {
            logger.error("the list of keys", metadata: ["problem": "\(String(foreign: problem))"])
        }
    }
}
