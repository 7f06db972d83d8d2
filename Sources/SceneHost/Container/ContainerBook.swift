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
    }

    /// The entries, as peers see them.
    var entries: DependencyRevisions { table.entries }

    func attached(_ link: HubLink) {
        table.attached(link.name)
        link.account.set(table.owners.size(of: link.name), for: .entries)
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

    private func perform(_ actions: [ContainerTable.Action]) {
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
                logger.error(
                    "an entry cannot be published",
                    metadata: [
                        "key": "\(String(foreign: String(key.prefix(64))))",
                        "peer": "\(String(foreign: owner.isEmpty ? "the host itself" : owner))",
                        "error": "\(String(foreign: error))",
                    ])
            case .leaveOut(let keys, let peer):
                hub.count("refused: entry not provided")
                logger.warning(
                    "a peer set entries that its hello does not list under provides",
                    metadata: ["peer": "\(String(foreign: peer))", "keys": "\(Self.shown(keys))"])
            case .noRoom(let keys, let peer):
                hub.count("refused: entry without room")
                logger.warning(
                    "a peer set entries for which there is no room, so they keep their earlier values",
                    metadata: ["peer": "\(String(foreign: peer))", "keys": "\(Self.shown(keys))"])
            case .makeRoom(let keys):
                hub.count("removed: entries of an absent peer")
                logger.warning(
                    "entries of an absent peer were removed, because others need the room",
                    metadata: ["keys": "\(Self.shown(keys))"])
            }
        }
    }

    /// Returns the first keys of a list, as a log shows texts of peers.
    private static func shown(_ keys: [String]) -> String {
        let first = keys.prefix(8).map { String($0.prefix(64)) }.joined(separator: ", ")
        return String(foreign: first)
    }

    // MARK: - ContainerOwner

    func snapshot(after revision: UInt64) -> DependencySnapshot { table.entries.snapshot(after: revision) }

    func publish(_ frame: Frame, from link: HubLink) {
        // A hello cannot list so many, and to find out which of hundreds of thousands it lists would stop the loop.
        guard !DependencyPayload.hasMore(than: Hello.maximumNames, in: frame.payload) else {
            return hub.count("dropped: publish with too many entries")
        }
        guard let all = try? DependencyPayload.decode(frame.payload) else {
            return hub.count("dropped: unreadable publish")
        }
        perform(
            table.set(all.values, by: link.name, providing: link.provides, atMost: link.account.limit(for: .entries)))
        link.account.set(table.owners.size(of: link.name), for: .entries)
        publishAbsenceSoon()
    }
}
