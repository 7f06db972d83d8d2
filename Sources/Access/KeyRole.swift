package import Messaging

/// What the peers of a key may do, unless its grants narrow or widen it.
package enum KeyRole: String, Sendable, CaseIterable {
    /// Runs scenes, and acts for the sessions whose scenes it runs.
    case worker
    /// Adds responders, services and entries.
    case plugin
    /// Reads what the host tells about itself, and the tap.
    case monitor
    /// Reads what the host tells about itself, and what scenes show.
    case viewer
    /// Also acts: opens, moves and closes sessions, acts in scenes, and sends the application's messages.
    case `operator`
    /// Is an operator that also decides which keys the host allows.
    case administrator
    /// Hands in another key, once, which takes its place.
    case invitation

    /// The roles in a hello that a peer with such a key may have.
    package var peerRoles: Set<PeerRole> {
        switch self {
        case .worker: [.worker]
        case .plugin: [.plugin]
        case .monitor: [.monitor, .operator]
        case .viewer, .invitation: [.operator]
        case .operator, .administrator: [.operator, .monitor]
        }
    }

    /// Whether such a peer may read the container.
    package var readsContainer: Bool {
        switch self {
        case .worker, .plugin, .monitor, .viewer, .operator, .administrator: true
        case .invitation: false
        }
    }

    /// The roles that a machine can be invited to.
    package static let invited = allCases.filter { $0 != .invitation }

    /// Which of the requests to the host such a peer may send.
    package var hostRights: Set<HostRight> {
        switch self {
        case .worker: [.report, .rotate]
        case .plugin: [.rotate]
        case .monitor: [.read, .watch, .rotate]
        case .viewer: [.read, .rotate]
        case .operator: [.read, .act, .watch, .rotate]
        case .administrator: [.read, .act, .watch, .rotate, .keys]
        case .invitation: [.enroll]
        }
    }

    /// Whether a peer of this role may do something of this kind to all that the application names, unless grants narrow it.
    func allowsAll(_ kind: Grants.Kind) -> Bool {
        switch (self, kind) {
        // Whoever says for whom it acts speaks for others: no role has that of itself.
        case (.invitation, _), (_, .user): false
        case (_, .read): readsContainer
        case (_, .session): true
        case (_, .watch): hostRights.contains(.watch)
        case (.worker, _): true
        case (.plugin, .send), (.plugin, .handle), (.plugin, .provide): true
        case (.plugin, .offer): false
        case (.operator, .send), (.administrator, .send): true
        case (.monitor, _), (.viewer, _), (.operator, _), (.administrator, _): false
        }
    }
}

/// What a message of the protocol demands of its sender.
package enum HostRight: Sendable, CaseIterable {
    /// To read what the host tells about itself and its scenes.
    case read
    /// To change something, or to act in a scene.
    case act
    /// To watch the traffic of all peers.
    case watch
    /// To report as a worker.
    case report
    /// To hand in a key.
    case enroll
    /// To replace the own key.
    case rotate
    /// To decide which keys the host allows.
    case keys
}
