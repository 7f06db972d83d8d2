/// Checks that each request ends exactly once and in time, and that it takes effect at most once.
extension Checker {
    mutating func checkRequests() {
        var asked: [String: (record: HistoryRecord, request: RecordedRequest)] = [:]
        var answers: [String: (time: UInt64, outcome: RequestOutcome)] = [:]
        var applied: [String: [UInt64]] = [:]
        for record in records {
            switch record.event {
            case .asked(let request): asked[request.id] = (record, request)
            case .answered(let id, let outcome): answers[id] = (record.time, outcome)
            case .applied(let id), .input(let id, _, _): applied[id, default: []].append(record.time)
            case .askedAgain: looked(at: "actions sent again")
            default: break
            }
        }
        for (id, (record, request)) in asked {
            looked(at: "requests")
            let answer = answers[id]
            if request.kind != .post { checkEnd(of: request, record, answer) }
            checkTimeout(of: request, record, answer)
            counted(request.kind, answer?.outcome.name ?? (request.kind == .post ? "sent" : "sender ended"))
            // The host applies control requests itself and records no effect.
            guard request.kind != .control else { continue }
            let effects = applied[id] ?? []
            if effects.count > 1, request.kind != .idempotent {
                violation(
                    .tookEffectTwice, at: effects[1],
                    "\(request.kind.rawValue) request \(id) took effect \(effects.count) times")
            }
            checkRefusal(of: request, record, answer)
            switch answer?.outcome {
            case .reply where effects.isEmpty:
                violation(
                    .acknowledgedAndLost, at: answer?.time ?? 0,
                    "\(request.kind.rawValue) request \(id) has a reply but no effect")
            case .failed(let code, mayHaveBeenHandled: false) where !effects.isEmpty:
                violation(
                    .deniedButHandled, at: answer?.time ?? 0,
                    "\(request.kind.rawValue) request \(id) ended as \(code), reported as unhandled, but took effect")
            default: break
            }
        }
    }

    /// Checks that a request to the ledger does not time out before its deadline: no process on its way has a shorter
    /// one.
    private mutating func checkTimeout(
        of request: RecordedRequest, _ record: HistoryRecord, _ answer: (time: UInt64, outcome: RequestOutcome)?
    ) {
        guard [.plain, .idempotent, .once, .write].contains(request.kind), let answer,
            case .failed("timeout", _) = answer.outcome
        else { return }
        looked(at: "requests that timed out")
        let took = answer.time - record.time
        guard took + margins.early < request.deadline else { return }
        violation(
            .endedEarly, at: answer.time,
            "\(request.kind.rawValue) request \(request.id) of \(record.process) timed out after \(took / 1_000_000) ms; its deadline is \(request.deadline / 1_000_000) ms"
        )
    }

    /// Checks that no greedy peer has used up what a request needs. Only a greedy peer: a peer that is cut off or stopped
    /// has a backlog of its own.
    private mutating func checkRefusal(
        of request: RecordedRequest, _ record: HistoryRecord, _ answer: (time: UInt64, outcome: RequestOutcome)?
    ) {
        guard let answer, case .failed("overloaded", _) = answer.outcome else { return }
        let present = faults.all.filter { fault in
            fault.start < answer.time
                && (fault.end > .max - margins.aftermath || fault.end + margins.aftermath > record.time)
        }
        guard present.contains(where: { $0.record.kind == .greedyPeer }),
            present.allSatisfy({ $0.record.kind == .greedyPeer || !$0.record.kind.makesBacklog })
        else { return }
        violation(
            .crowdedOut, at: answer.time,
            "\(request.kind.rawValue) request \(request.id) of \(record.process) was refused as overloaded")
    }

    /// Checks that a request has ended by its deadline, unless its sender ended before.
    private mutating func checkEnd(
        of request: RecordedRequest, _ record: HistoryRecord, _ answer: (time: UInt64, outcome: RequestOutcome)?
    ) {
        let end = min(answer?.time ?? .max, processes.end(of: record.pid), records.last?.time ?? 0)
        // A stopped sender receives its reply after it is continued.
        let stopped = faults.stopped(record.pid, from: record.time, to: end)
        let limit = waits.extended(record.time + request.deadline + margins.deadline + stopped, since: record.time)
        if end > limit {
            let late = (end - record.time) / 1_000_000
            violation(
                .hungRequest, at: limit,
                "\(request.kind.rawValue) request \(request.id) of \(record.process) \(answer == nil ? "has not ended after" : "took") \(late) ms; its deadline is \(request.deadline / 1_000_000) ms"
            )
        } else if answer == nil, processes.end(of: record.pid) == .max, finalLook != nil {
            violation(
                .hungRequest, at: record.time,
                "\(request.kind.rawValue) request \(request.id) of \(record.process) has not ended")
        }
    }
}
