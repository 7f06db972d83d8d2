import SeededRandom
import Bus

@testable import SceneHost

/// A simulation of a host's session table and some workers, as values. Messages are delayed or lost, workers are killed
/// and disconnected, and the host dies.
struct SessionPlay {
    private struct Holding {
        var token: UInt64
        var isActive = true
    }

    private struct Process {
        var identity: ProcessIdentity
        var holdings: [String: Holding] = [:]
        /// The worker's link as the host knows it; `nil` while the worker is disconnected.
        var link: UInt64?
        /// When the worker's lease expires, while the worker is disconnected.
        var leaseEnd: MonotonicInstant?
        /// The host's requests that the worker has not read yet.
        var inbox: [SessionTable.Action] = []
    }

    private enum Answer {
        case connected(String, UInt64), refused(String, UInt64), frozen(String, UInt64), withdrawn(String, UInt64)
        case discarded(String, UInt64), discardFailed(String)
    }

    private(set) var problems: [String] = []
    private var random: SeededGenerator
    private let start = MonotonicInstant.now
    private var now: MonotonicInstant
    private var table = SessionTable(epoch: 1)
    private var epoch: UInt64 = 1
    private var processes: [Process] = []
    /// The workers' replies that the host has not read yet.
    private var answers: [(link: UInt64, Answer)] = []
    /// Links that are cut, and when the host will notice.
    private var dying: [(link: UInt64, at: MonotonicInstant)] = []
    private var stored: [String: SessionRecord] = [:]
    private let capacity: Int
    private var isSettling = false
    /// Requests to scenes that have no answer yet.
    private var asks: [(id: String, token: UInt64)] = []
    private var nextLink: UInt64 = 1
    private var opened = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        // With little room, most sessions have to wait.
        capacity = seed % 2 == 0 ? 20 : 8
        now = start
        for index in 0..<3 { processes.append(Process(identity: ProcessIdentity(peer: "w\(index)", pid: 1))) }
        for index in processes.indices { attach(index) }
        for _ in 0..<4 { open() }
    }

    private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<max(count, 1), using: &random) }

    // MARK: - What happens

    mutating func step() {
        switch pick(20) {
        case 0..<6: readInbox()
        case 6..<11: readAnswer()
        case 11..<13: advance(by: .milliseconds(pick(900)))
        case 13: cut(pick(processes.count))
        case 14: attach(pick(processes.count))
        case 15: kill(pick(processes.count))
        case 16: open()
        case 17: close()
        case 18: move()
        default:
            switch pick(8) {
            case 0: restartHost()
            case 1: endHost()
            case 2: operate()
            case 3: ask()
            case 4: endAsk()
            default: drain()
            }
        }
        table.forgetHeard()
        check()
        problems += table.faults(at: now)
    }

    /// Repairs every fault and delivers every message; afterwards each session must have a scene.
    mutating func settle() {
        isSettling = true
        for index in processes.indices { attach(index) }
        for (link, worker) in table.workers where worker.isDraining { perform(table.undrain(link)) }
        for _ in 0..<200 {
            advance(by: .milliseconds(500))
            while !asks.isEmpty { endAsk() }
            for session in table.ordered where session.isHeld { perform((try? table.retry(session.id)) ?? []) }
            for index in processes.indices { while !processes[index].inbox.isEmpty { read(index) } }
            while !answers.isEmpty { readAnswer() }
            check()
        }
        for session in table.ordered {
            guard case .running(let link) = session.phase else {
                problems.append(
                    "'\(session.id)' is \(session.state) at the end: \(table.summary(of: session)), \(session.retry)")
                continue
            }
            let holding = processes.first { $0.link == link }?.holdings[session.id]
            if holding?.token != session.token { problems.append("'\(session.id)' is on a worker without it") }
        }
        problems += table.faults(at: now)
        for process in processes {
            if process.holdings.count > capacity { problems.append("'\(process.identity.peer)' has too many scenes") }
            for (id, holding) in process.holdings where table.sessions[id]?.token != holding.token {
                problems.append("a copy of '\(id)' is left over")
            }
        }
    }

    private mutating func check() {
        var active: [String: Int] = [:]
        for process in processes {
            let mayAct = process.leaseEnd.map { now < $0 } ?? true
            for (id, holding) in process.holdings where holding.isActive && mayAct { active[id, default: 0] += 1 }
            if process.link != nil, process.holdings.count > capacity {
                problems.append("'\(process.identity.peer)' has \(process.holdings.count) scenes")
            }
        }
        for (id, count) in active where count > 1 { problems.append("'\(id)' is active \(count) times") }
    }

    // MARK: - Workers

    private mutating func readInbox() {
        let full = processes.indices.filter { !processes[$0].inbox.isEmpty }
        guard !full.isEmpty else { return }
        read(full[pick(full.count)])
    }

    private mutating func read(_ index: Int) {
        let action = processes[index].inbox.removeFirst()
        guard let link = processes[index].link else { return }
        switch action {
        case .connect(let id, _, let token):
            if pick(12) == 0 { return answers.append((link, .refused(id, token))) }
            processes[index].holdings[id] = Holding(token: token)
            answers.append((link, .connected(id, token)))
        case .resume(let id, _, let token):
            guard processes[index].holdings[id] != nil else { return answers.append((link, .refused(id, token))) }
            processes[index].holdings[id] = Holding(token: token)
            answers.append((link, .connected(id, token)))
        case .freeze(let id, _, let token):
            guard processes[index].holdings[id]?.isActive == true else {
                return answers.append((link, .refused(id, token)))
            }
            processes[index].holdings[id]?.isActive = false
            answers.append((link, .frozen(id, token)))
        case .withdraw(let id, _, let token):
            discard(id, upTo: token, at: index)
            if pick(8) == 0 { return answers.append((link, .refused(id, token))) }
            answers.append((link, .withdrawn(id, token)))
        case .discard(let id, _, let token):
            // The request is not delivered, as when the worker is out of credits.
            if pick(4) == 0 { return answers.append((link, .discardFailed(id))) }
            discard(id, upTo: token, at: index)
            // The scene is discarded, but the reply may be lost.
            answers.append((link, pick(8) == 0 ? .discardFailed(id) : .discarded(id, token)))
        case .store: break
        }
    }

    private mutating func discard(_ id: String, upTo token: UInt64, at index: Int) {
        if let holding = processes[index].holdings[id], holding.token <= token { processes[index].holdings[id] = nil }
    }

    private mutating func cut(_ index: Int) {
        guard let link = processes[index].link else { return }
        processes[index].link = nil
        processes[index].leaseEnd = now + .milliseconds(1000 + pick(1000))
        processes[index].inbox = []
        dying.append((link, now + .milliseconds(2500 + pick(300))))
    }

    private mutating func attach(_ index: Int) {
        // After a reconnect, scenes stay suspended until the host resumes them.
        if let old = processes[index].link { lose(old, isOver: false) }
        for id in processes[index].holdings.keys { processes[index].holdings[id]?.isActive = false }
        for entry in dying where entry.link != 0 && links(of: index).contains(entry.link) {
            lose(entry.link, isOver: false)
        }
        let link = nextLink
        nextLink += 1
        processes[index].link = link
        processes[index].leaseEnd = nil
        processes[index].inbox = []
        owners[link] = index
        let held = processes[index].holdings.map { HeldScene(session: $0.key, token: $0.value.token) }
        perform(
            table.attached(
                link, processes[index].identity, offers: ["Wall"], capacity: capacity, held: held, at: now))
        perform(table.synchronized(link, at: now))
    }

    /// The process of each link.
    private var owners: [UInt64: Int] = [:]
    private func links(of index: Int) -> [UInt64] { owners.filter { $0.value == index }.map(\.key) }

    private mutating func kill(_ index: Int) {
        let link = processes[index].link
        let life = (processes[index].identity.life ?? 0) + 1
        processes[index] = Process(identity: ProcessIdentity(peer: "w\(index)", pid: 1, life: life))
        for entry in dying where links(of: index).contains(entry.link) {
            lose(entry.link, isOver: true, mayComeBack: false, isCrash: true)
        }
        if let link { lose(link, isOver: true, mayComeBack: false, isCrash: true) }
        owners = owners.filter { $0.value != index }
    }

    private mutating func lose(
        _ link: UInt64, isOver: Bool, mayComeBack: Bool = true, isCrash: Bool = false
    ) {
        dying.removeAll { $0.link == link }
        answers.removeAll { $0.link == link }
        perform(
            table.detached(
                link, reason: "lost", isOver: isOver, mayComeBack: mayComeBack, isCrash: isCrash, at: now))
    }

    // MARK: - The host

    private mutating func open() {
        opened += 1
        let record = SessionRecord(
            id: "s\(opened)", role: "r", configuration: "Wall", position: table.nextPosition())
        stored[record.id] = record
        perform(table.opened(record, links: [], at: now))
    }

    private mutating func close() {
        let ids = table.ordered.map(\.id)
        guard ids.count > 2 else { return }
        let id = ids[pick(ids.count)]
        stored[id] = nil
        perform(table.closed(id))
    }

    private mutating func move() {
        let ids = table.ordered.map(\.id)
        guard !ids.isEmpty, let actions = try? table.move(ids[pick(ids.count)], to: nil) else { return }
        perform(actions)
    }

    /// Asks a running scene for something.
    private mutating func ask() {
        let running = table.ordered.filter { $0.state == .running && table.mayAsk($0) }
        guard !running.isEmpty else { return }
        let session = running[pick(running.count)]
        table.asked(session.id, "content", token: session.token)
        asks.append((session.id, session.token))
    }

    private mutating func endAsk() {
        guard !asks.isEmpty else { return }
        let (id, token) = asks.remove(at: pick(asks.count))
        perform(table.ended(id, "content", token: token, pick(3) == 0 ? .unknown : .answered, at: now) ?? [])
    }

    private mutating func operate() {
        let ids = table.ordered.map(\.id)
        guard !ids.isEmpty else { return }
        let id = ids[pick(ids.count)]
        perform((pick(2) == 0 ? try? table.retry(id) : try? table.reset(id)) ?? [])
    }

    private mutating func drain() {
        let links = table.workers.keys.sorted()
        guard !links.isEmpty else { return }
        let link = links[pick(links.count)]
        perform(table.workers[link]?.isDraining == true ? table.undrain(link) : table.drain(link))
    }

    /// Shuts the host down: its workers keep their scenes and return to the next host.
    private mutating func endHost() {
        table.end()
        for index in processes.indices where processes[index].link != nil {
            for id in processes[index].holdings.keys { processes[index].holdings[id]?.isActive = false }
            // The latest states arrive with the goodbyes.
            if let link = processes[index].link { lose(link, isOver: true) }
            processes[index].link = nil
            processes[index].inbox = []
        }
        let isClean = table.isClean && dying.isEmpty
        for record in table.ordered.map(\.record) { stored[record.id] = record }
        begin(isClean: isClean)
    }

    private mutating func restartHost() {
        for index in processes.indices where processes[index].link != nil {
            processes[index].link = nil
            processes[index].leaseEnd = now + .milliseconds(1000 + pick(1000))
            processes[index].inbox = []
        }
        begin(isClean: false)
    }

    private mutating func begin(isClean: Bool) {
        answers = []
        dying = []
        owners = [:]
        epoch += 1
        table = SessionTable(epoch: epoch)
        table.start(with: stored.values.sorted { $0.position < $1.position }, isClean: isClean, at: now)
    }

    private mutating func readAnswer() {
        guard !answers.isEmpty else { return }
        let (link, answer) = answers.removeFirst()
        switch answer {
        case .discarded(let id, let token): perform(table.discarded(id, at: link, token: token))
        case .discardFailed(let id): table.discardFailed(id, at: link, at: now)
        case .connected(let id, let token): perform(table.connected(id, token: token))
        case .refused(let id, let token):
            let isUnreadable = !isSettling && pick(3) == 0
            perform(
                table.connectFailed(id, token: token, isUnreadable ? .unreadableState : .refused, reason: "no", at: now)
            )
            perform(table.freezeFailed(id, token: token, reason: "no", at: now))
            table.withdrawFailed(id, token: token, at: now)
        case .frozen(let id, let token): perform(table.frozen(id, token: token, state: nil))
        case .withdrawn(let id, let token): perform(table.withdrawn(id, token: token, at: now))
        }
    }

    private mutating func advance(by time: Duration) {
        now += time
        // An expired lease deactivates the scenes for good.
        for index in processes.indices {
            guard let end = processes[index].leaseEnd, now >= end else { continue }
            for id in processes[index].holdings.keys { processes[index].holdings[id]?.isActive = false }
        }
        for entry in dying where entry.at <= now { lose(entry.link, isOver: true, isCrash: true) }
        perform(table.quiet(Set(dying.filter { $0.at - now < .seconds(1) }.map(\.link))))
        perform(table.tick(at: now))
        for link in table.workers.keys.sorted() where !dying.contains(where: { $0.link == link }) {
            perform(table.heard(link))
            table.forgetHeard()
        }
    }

    private mutating func perform(_ actions: [SessionTable.Action]) {
        for action in actions {
            switch action {
            case .store(let id):
                // Sometimes the disk is full and the record is lost.
                if pick(5) > 0, let record = table.sessions[id]?.record { stored[id] = record }
                perform(table.stored(id))
            case .connect(let id, let worker, let token), .resume(let id, let worker, let token),
                .freeze(let id, let worker, let token), .withdraw(let id, let worker, let token),
                .discard(let id, let worker, let token):
                // A message on a cut link is lost, and sometimes its sender does not learn the outcome in time.
                guard let index = owners[worker], processes[index].link == worker else { continue }
                processes[index].inbox.append(action)
                if case .connect = action, pick(20) == 0 {
                    perform(table.connectFailed(id, token: token, .unknown, reason: "timeout", at: now))
                }
            }
        }
    }
}
