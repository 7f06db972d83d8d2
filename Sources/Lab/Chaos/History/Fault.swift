/// The faults that are injected into the processes, their machines and their links.
package enum FaultKind: String, Codable, CaseIterable, Sendable {
    case killWorker, killPlugin, killHost, killRack
    case stopWorker, stopPlugin, stopHost
    case hangWorker, hangPlugin
    case cutLink, cutOneWay, cutRack, cutBus, cutPublisher, loss, delay
    case deafSubscriber, readsNothing, garbage
    case fullDisk, powerCut, secondHost, clockJump
    case drainWorker
    case crashScene, greedyPeer, unreadLog, silentConnections, removeStore, stubbornPlugin
    case revokeKey, rotateKey, rotateHostKey

    /// The title for the report.
    package var title: String {
        switch self {
        case .killWorker: "kill -9 of a worker"
        case .killPlugin: "kill -9 of a plugin"
        case .killHost: "kill -9 of the host"
        case .killRack: "kill -9 of half of the workers"
        case .stopWorker: "SIGSTOP of a worker"
        case .stopPlugin: "SIGSTOP of a plugin"
        case .stopHost: "SIGSTOP of the host"
        case .hangWorker: "worker that hangs"
        case .hangPlugin: "plugin of the host's own that hangs"
        case .cutLink: "link cut"
        case .cutOneWay: "link cut in one direction"
        case .cutRack: "links of half of the workers cut"
        case .cutBus: "bus cut, publisher not"
        case .cutPublisher: "publisher cut, bus not"
        case .loss: "packets lost"
        case .delay: "packets delayed"
        case .deafSubscriber: "subscriber that does not read"
        case .readsNothing: "peer that asks and does not read"
        case .garbage: "garbage on the sockets"
        case .fullDisk: "full disk of the store"
        case .powerCut: "power cut of the store"
        case .secondHost: "second host on the store"
        case .clockJump: "host's time of day jumps"
        case .drainWorker: "worker drained"
        case .crashScene: "scene that crashes its worker"
        case .greedyPeer: "peer that takes what all share"
        case .unreadLog: "host's output that nobody reads"
        case .silentConnections: "connections that say nothing"
        case .removeStore: "store's files removed"
        case .stubbornPlugin: "plugin that ignores everything"
        case .revokeKey: "key of a worker revoked"
        case .rotateKey: "key of a worker replaced"
        case .rotateHostKey: "key of the host replaced"
        }
    }

    /// Whether workers end because of it, or are silent.
    var takesWorkers: Bool {
        switch self {
        case .killWorker, .killRack, .stopWorker, .hangWorker, .cutLink, .cutOneWay, .cutRack, .cutBus, .loss, .delay,
            .crashScene:
            true
        default: false
        }
    }

    /// Whether the fault can delay the storage of a scene's state.
    var delaysState: Bool {
        switch self {
        case .killPlugin, .stopPlugin, .hangPlugin, .deafSubscriber, .readsNothing, .garbage, .secondHost, .clockJump,
            .drainWorker, .greedyPeer, .unreadLog, .silentConnections, .stubbornPlugin, .rotateKey, .rotateHostKey:
            false
        case .killWorker, .killHost, .killRack, .stopWorker, .stopHost, .hangWorker, .cutLink, .cutOneWay, .cutRack,
            .cutBus, .cutPublisher, .loss, .delay, .fullDisk, .powerCut, .crashScene, .removeStore, .revokeKey:
            true
        }
    }

    /// Whether the fault needs a run with keys.
    package var needsKeys: Bool { [.revokeKey, .rotateKey, .rotateHostKey].contains(self) }

    /// Whether messages may wait for a process because of the fault, until there are too many.
    var makesBacklog: Bool {
        switch self {
        case .unreadLog, .silentConnections, .clockJump, .secondHost, .stubbornPlugin: false
        default: true
        }
    }

    /// Whether the host's process ends and is replaced.
    var endsHost: Bool { self == .killHost || self == .powerCut }
}

/// An injected fault, as recorded for the checker.
package struct FaultRecord: Codable, Hashable, Sendable {
    package var number: Int
    package var kind: FaultKind
    /// The processes that are killed or stopped.
    package var pids: [Int32]
    /// The machines whose links are affected; empty for a fault that does not affect links.
    package var machines: [Int]
    /// Whether only the existing connections are cut, so that new ones work.
    package var sparesNew: Bool

    package init(
        number: Int, kind: FaultKind, pids: [Int32] = [], machines: [Int] = [], sparesNew: Bool = false
    ) {
        self.number = number
        self.kind = kind
        self.pids = pids
        self.machines = machines
        self.sparesNew = sparesNew
    }

    /// Whether the fault separates a process from the host, which runs on the first machine.
    func concerns(_ pid: Int32?, on machine: Int?) -> Bool {
        switch kind {
        case .killHost, .stopHost, .powerCut: return true
        case .killWorker, .killPlugin, .killRack, .stopWorker, .stopPlugin, .hangWorker, .hangPlugin,
            .crashScene, .revokeKey:
            return pid.map(pids.contains) ?? false
        case .cutLink, .cutOneWay, .cutRack, .cutBus, .cutPublisher, .loss, .delay:
            return machine.map { machines.contains(1) || machines.contains($0) } ?? false
        case .deafSubscriber, .readsNothing, .garbage, .fullDisk, .secondHost, .clockJump, .drainWorker, .greedyPeer,
            .unreadLog, .silentConnections, .removeStore, .stubbornPlugin, .rotateKey, .rotateHostKey:
            return false
        }
    }
}
