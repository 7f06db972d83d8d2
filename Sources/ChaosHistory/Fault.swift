/// What is done to the processes, their machines and their links.
package enum FaultKind: String, Codable, CaseIterable, Sendable {
    case killWorker, killPlugin, killHost
    case stopWorker, stopPlugin, stopHost
    case cutLink, cutOneWay, loss, delay
    case deafSubscriber, garbage, fullDisk
    case drainWorker

    /// For the table.
    package var title: String {
        switch self {
        case .killWorker: "kill -9 of a worker"
        case .killPlugin: "kill -9 of a plugin"
        case .killHost: "kill -9 of the host"
        case .stopWorker: "SIGSTOP of a worker"
        case .stopPlugin: "SIGSTOP of a plugin"
        case .stopHost: "SIGSTOP of the host"
        case .cutLink: "link cut"
        case .cutOneWay: "link cut in one direction"
        case .loss: "packets lost"
        case .delay: "packets delayed"
        case .deafSubscriber: "subscriber that does not read"
        case .garbage: "garbage on the sockets"
        case .fullDisk: "full disk of the store"
        case .drainWorker: "worker drained"
        }
    }

    /// Whether a scene's state may take longer to reach the store while it lasts.
    var delaysState: Bool {
        switch self {
        case .killPlugin, .stopPlugin, .deafSubscriber, .garbage, .drainWorker: false
        default: true
        }
    }
}

/// A fault that is made: what the checker knows of it.
package struct FaultRecord: Codable, Hashable, Sendable {
    package var number: Int
    package var kind: FaultKind
    /// The process that is killed or stopped.
    package var pid: Int32?
    /// The machine whose link it is; `nil` for a fault that is no link's.
    package var machine: Int?

    package init(number: Int, kind: FaultKind, pid: Int32? = nil, machine: Int? = nil) {
        self.number = number
        self.kind = kind
        self.pid = pid
        self.machine = machine
    }
}
