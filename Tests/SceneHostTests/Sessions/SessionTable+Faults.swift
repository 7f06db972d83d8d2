import Bus
import CBOR

@testable import SceneHost

extension SessionTable {
    /// Restores the sessions of an earlier host, and lets workers attach.
    mutating func start(
        with records: [SessionRecord], isClean: Bool, expecting names: Set<String> = [],
        at now: MonotonicInstant
    ) {
        take(records, isClean: isClean)
        begin(expecting: names, at: now)
    }

    /// Returns the differences between the indexes and a full scan of the sessions.
    func faults(at now: MonotonicInstant) -> [String] {
        var faults: [String] = []
        func check(_ isRight: Bool, _ what: @autoclosure () -> String) { if !isRight { faults.append(what()) } }
        check(order.ids == sessions.values.map(\.orderKey).sorted().map(\.id), "the order")
        let running = sessions.values.filter { if case .running = $0.phase { true } else { false } }
        check(connectedCount == running.count, "\(connectedCount) connected, not \(running.count)")
        for worker in workers.values {
            let mine = sessions.values.filter { $0.phase.workers.contains(worker.id) }
            check(worker.sessions == Set(mine.map(\.id)), "the sessions of \(worker.name)")
            check(worker.running == mine.count { $0.phase == .running(worker.id) }, "running scenes of \(worker.name)")
            check(worker.starting == mine.count { $0.phase.starter == worker.id }, "starting scenes of \(worker.name)")
            check(
                worker.candidates == Set(sessions.values.filter { $0.phase.candidate?.worker == worker.id }.map(\.id)),
                "the candidates of \(worker.name)")
            check(worker.discarding == worker.discards.values.count { $0.isAsked }, "the discards of \(worker.name)")
            for (id, discard) in worker.discards {
                let isDue = discard.retry.due.map { due in
                    agenda.all.contains { $0.time == due && $0.item == .discard(id, worker.id) }
                }
                check(
                    discard.isAsked || isDue ?? worker.discardQueue.contains(id),
                    "no request asks \(worker.name) to discard '\(id)'")
            }
        }
        check(suspects == Set(sessions.values.filter(\.isSuspect).map(\.id)), "the suspects")
        check(held == Set(sessions.values.filter(\.isHeld).map(\.id)), "the held sessions")
        let all = sessions.values.map(\.record)
        check(room.sessionCount == all.count, "the room of \(room.sessionCount) sessions")
        let names = all.reduce(0) { $0 + $1.role.utf8.count + $1.configuration.utf8.count }
        let links = sessions.values.reduce(0) { $0 + $1.links.reduce(0) { $0 + $1.bytes.count } }
        check(room.textBytes == names + links, "the room of names and links")
        check(room.stateBytes == all.reduce(0) { $0 + ($1.state?.bytes.count ?? 0) }, "the room of states")
        for worker in workers.values {
            let trial = worker.trial.flatMap { sessions[$0] }
            check(trial.map { $0.isSuspect && $0.isInHands(of: worker.id) } ?? true, "the trial of \(worker.name)")
            check(worker.trial == nil || trial != nil, "the trial of a closed session on \(worker.name)")
        }
        for (process, ids) in accusations {
            for id in ids { check(sessions[id]?.accusers.contains(process) == true, "the accusers of '\(id)'") }
        }
        for (configuration, pool) in pools { checkPool(pool, of: configuration, check) }
        for session in sessions.values { checkSession(session, check) }
        // The next turn places what was too much for one turn.
        if !hasMore, !isEnding, !isHeld, expected == nil { checkPlacing(check) }
        return faults
    }

    private func checkPool(
        _ pool: ConfigurationPool, of configuration: String, _ check: (Bool, @autoclosure () -> String) -> Void
    ) {
        let offering = workers.values.filter { $0.offers.contains(configuration) }
        let open = offering.filter { !$0.isDraining }
        check(pool.attached == offering.count, "the workers of '\(configuration)'")
        check(pool.open == open.count, "the open workers of '\(configuration)'")
        check(pool.roomy == open.count { $0.room > 0 }, "the workers of '\(configuration)' with room")
        var copy = self
        let best = copy.best(for: configuration, without: [])
        check(best == bestOfAll(for: configuration, without: []), "the best worker of '\(configuration)'")
        let second = best.map { copy.best(for: configuration, without: [$0]) } ?? nil
        check(
            second == bestOfAll(for: configuration, without: Set([best].compactMap { $0 })),
            "the second best worker of '\(configuration)'")
    }

    private func bestOfAll(for configuration: String, without excluded: Set<WorkerID>) -> WorkerID? {
        workers.values
            .filter {
                $0.takesMore && $0.starting < Self.maximumStarting && $0.offers.contains(configuration)
                    && !excluded.contains($0.id)
            }
            .max { ($0.room, $1.id) < ($1.room, $0.id) }?.id
    }

    private func checkSession(_ session: Session, _ check: (Bool, @autoclosure () -> String) -> Void) {
        let pool = pools[session.record.configuration] ?? ConfigurationPool()
        let isDue = session.retry.due.map { due in
            agenda.all.contains { $0.time == due && $0.item == .session(session.id) }
        }
        check(isDue ?? true, "'\(session.id)' is not retried")
        switch session.phase {
        case .waiting where session.retry.due == nil && !session.isHeld:
            check(
                pool.waiting.contains(session.id) || pool.choosy.contains(session.id), "'\(session.id)' waits forever")
        case .collecting:
            check(
                collecting.contains(session.id) || late.contains(session.id), "'\(session.id)' is collected forever")
        case .leased(let until):
            check(
                agenda.all.contains { $0.time == until && $0.item == .session(session.id) },
                "'\(session.id)' is leased forever")
        case .running(let worker)
        where workers[worker]?.isDraining == true && session.retry.due == nil && !session.isHeld:
            check(
                pool.leaving.contains(session.id) || pool.choosy.contains(session.id)
                    || workers[worker]?.parked.contains(session.id) == true, "'\(session.id)' does not leave")
        case .returning(let worker) where workers[worker]?.isReady == true && session.retry.due == nil:
            check(
                resumable.contains { $0.session == session.id }
                    || workers[worker]?.returners.contains(session.id) == true,
                "'\(session.id)' returns forever")
        default: break
        }
        check(session.phase.workers.allSatisfy { workers[$0] != nil }, "'\(session.id)' is on a detached worker")
    }

    /// Checks that no session waits although there is room for it.
    private func checkPlacing(_ check: (Bool, @autoclosure () -> String) -> Void) {
        for session in sessions.values where session.retry.due == nil && !session.isHeld {
            let excluded = session.phase == .waiting ? excluded(for: session) : session.refusedBy
            let room = bestOfAll(for: session.record.configuration, without: excluded)
            switch session.phase {
            case .waiting: check(room == nil, "'\(session.id)' waits although there is room")
            case .running(let from) where workers[from]?.isDraining == true:
                let isFree = workers[from]?.moving ?? .max < Self.maximumDraining
                check(room == nil || !isFree || !mayAsk(session), "'\(session.id)' stays although there is room")
            default: break
            }
        }
    }
}
