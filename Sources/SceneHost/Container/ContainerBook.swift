import Access
import Bus
import CoordinatorKit
import Hub
import Logging
import Messaging
import ZeroMQ

/// The host's container, which carries out what ``ContainerTable`` decides.
@MainActor
final class ContainerBook: ContainerOwner {
    private(set) var table = ContainerTable()
    private let hub: Hub
    private let application: Application
    private let logger: Logger
    private var faults = LoggedFaults()
    /// Runs when a change of the absent owners is to be published.
    private lazy var absenceTimer = LoopTimer { [weak self] in self?.publishAbsence() }
    /// The delay of publishing absent owners: a peer that reconnects is absent only briefly, and many may detach at
    /// once.
    private static let absenceDelay = Duration.milliseconds(250)
    private var isEnding = false

    init(hub: Hub, application: Application, logger: Logger) {
        self.hub = hub
        self.application = application
        self.logger = logger
        application.onDependencies = { [weak self] container in
            guard let self else { return }
            perform(table.delegateSet(container))
        }
        application.onSessionClosed = { [weak self] in self?.closed(session: $0) }
    }

    private func closed(session id: String) {
        let owners = Set(table.keys(ofSession: id).compactMap { table.entries.entry(of: $0)?.owner })
        perform(table.closed(session: id))
        for link in owners.compactMap({ hub.link(named: $0) }) { updateAccount(of: link) }
        publishAbsenceSoon()
    }

    private func updateAccount(of link: HubLink) {
        link.traffic.account.set(table.owners.size(of: link.name), for: .entries)
    }

    /// The entries, as peers see them.
    var entries: DependencyRevisions { table.entries }

    func attached(_ link: HubLink) {
        table.attached(link.name, sharing: link.sharer)
        updateAccount(of: link)
        publishAbsenceSoon()
    }

    func detached(_ link: HubLink) {
        table.detached(link.name, at: .now)
        publishAbsenceSoon()
    }

    /// Stops reporting absent owners when the host shuts down.
    func end() { isEnding = true }

    private func publishAbsenceSoon() {
        guard table.owners.isNews, absenceTimer.deadline == nil, !isEnding else { return }
        absenceTimer.set(for: .now + Self.absenceDelay)
    }

    private func publishAbsence() {
        guard !isEnding else { return }
        perform(table.publishAbsence())
    }

    /// - Parameter set: the entries that a peer has set, whose sizes are said where they have no room.
    private func perform(_ actions: [ContainerTable.Action], set: DependencyEntries = [:]) {
        for action in actions {
            switch action {
            case .publish(let change):
                hub.publish(change)
                publishAbsenceSoon()
            case .show(let container):
                application.delegate.appDependency = container
                perform(table.shown(application.delegate.appDependency))
            case .refuse(let key, let owner, let error):
                hub.count("refused: entry that cannot be read")
                let metadata: Logger.Metadata = [
                    "key": "\(String(foreign: String(key.prefix(64))))", "error": "\(String(foreign: error))",
                ]
                log(.error, "an entry cannot be published", of: owner, metadata)
            case .leaveOut(let keys, let peer):
                hub.count("refused: entry not provided")
                log(
                    .warning, "a peer set entries that its hello does not list under provides", of: peer,
                    ["keys": "\(Self.shown(keys))"])
            case .leaveOutOfSession(let key, let peer, let refusal):
                hub.count("refused: entry of a session")
                guard refusal.isFault else { break }
                log(
                    .warning, "a peer set an entry of a session that it may not set", of: peer,
                    ["key": "\(Self.shown([key]))", "reason": "\(String(foreign: "\(refusal)"))"])
            case .noRoom(let keys, let peer):
                hub.count("refused: entry without room")
                let limit = hub.link(named: peer)?.traffic.account.limit(for: .entries) ?? PeerAccount.limit
                let entries = keys.prefix(Self.shownKeys).map { key in
                    let value = set[key].flatMap { $0 }
                    return "\(key.prefix(64)) (\(Self.size(value?.count ?? 0)))"
                }
                log(
                    .warning,
                    "a peer set entries for which there is no room, so they keep their earlier values: it must set less, "
                        + "or those that have more must",
                    of: peer,
                    [
                        "keys": "\(Self.shown(entries))",
                        "has": "\(held(by: peer, of: limit))",
                        "all peers": "\(Self.size(table.owners.size)) of \(Self.size(ContainerTable.maximumSize))",
                    ])
            case .makeRoom(let keys):
                hub.count("removed: entries of an absent peer")
                logger.warning(
                    "entries of an absent peer were removed, because others need the room",
                    metadata: ["keys": "\(Self.shown(keys))"])
            }
        }
    }

    /// Logs a fault, unless it is a peer's that was logged less than a minute ago.
    /// - Parameter owner: the peer; empty for the host itself.
    private func log(_ level: Logger.Level, _ what: String, of owner: String, _ metadata: Logger.Metadata) {
        var metadata = metadata
        metadata["peer"] = "\(String(foreign: owner.isEmpty ? "the host itself" : owner))"
        guard !owner.isEmpty else { return logger.log(level: level, "\(what)", metadata: metadata) }
        faults.log(
            level, what, of: owner, sharing: hub.link(named: owner)?.sharer, metadata, to: logger, at: .now)
    }

    /// What a peer has of its room, in words.
    private func held(by peer: String, of limit: Int) -> String {
        let (own, shared) = (table.owners.size(of: peer), table.owners.sharedSize(of: peer))
        let others = shared > own ? ", and others of its key, process or machine \(Self.size(shared - own))" : ""
        return "\(Self.size(own)) of \(Self.size(limit))\(others)"
    }

    private static func size(_ bytes: Int) -> String {
        bytes < 1 << 20 ? "\(bytes) bytes" : "\(bytes >> 20).\((bytes & 0xFFFFF) * 10 >> 20) MiB"
    }

    /// How many keys a line of the log names.
    private static let shownKeys = 8

    /// Returns the first keys of a list, as a log shows texts of peers.
    private static func shown(_ keys: [String]) -> String {
        let first = keys.prefix(shownKeys).map { String($0.prefix(96)) }.joined(separator: ", ")
        return String(foreign: first)
    }

    /// What a peer is told that has set entries.
    private func answer(to actions: [ContainerTable.Action], of link: HubLink) -> PublishAnswer {
        var answer = PublishAnswer()
        for action in actions {
            switch action {
            case .refuse(let key, link.name, let error): answer.refuse([key], "\(error)")
            case .leaveOut(let keys, _):
                answer.refuse(keys, "the hello of '\(link.name)' does not list it under provides")
            case .leaveOutOfSession(let key, _, let refusal): answer.refuse([key], "\(refusal)")
            case .noRoom(let keys, _):
                answer.refuse(
                    keys,
                    "there is no room for it: '\(link.name)' has "
                        + held(by: link.name, of: link.traffic.account.limit(for: .entries)))
            default: break
            }
        }
        return answer
    }

    /// Returns why a peer may not set an entry of a session; `nil` when it may.
    private func refusal(of place: SessionEntryKey, by link: HubLink) -> SessionEntryRefusal? {
        guard let session = application.openSession(place.session) else { return .notOpen(session: place.session) }
        guard let access = link.access, !access.mayUse(place.session, of: session.configuration.name) else {
            return nil
        }
        return .notAllowed(session: place.session, key: access.entry.name)
    }

    // MARK: - ContainerOwner

    func snapshot(after revision: UInt64) -> DependencySnapshot { table.entries.snapshot(after: revision) }

    func publish(_ frame: Frame, from link: HubLink) {
        // A hello cannot list so many, and to find out which of hundreds of thousands it lists would stop the loop.
        guard !DependencyPayload.hasMore(than: Hello.maximumNames, in: frame.payload) else {
            hub.count("dropped: publish with too many entries")
            return hub.answer(frame, refusing: "it has more than \(Hello.maximumNames) entries", to: link)
        }
        guard let all = try? DependencyPayload.decode(frame.payload) else {
            hub.count("dropped: unreadable publish")
            return hub.answer(frame, refusing: "it cannot be read", to: link)
        }
        let actions = table.set(
            all.values, by: link.name, providing: link.provides, atMost: link.traffic.account.limit(for: .entries)
        ) { refusal(of: $0, by: link) }
        perform(actions, set: all)
        hub.answer(frame, with: answer(to: actions, of: link), to: link)
        updateAccount(of: link)
        publishAbsenceSoon()
    }
}
