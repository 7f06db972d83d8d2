import Hub
import Bus
import DequeModule
import HeapModule

extension SessionBook {
    /// The maximum number of waiting inputs. Another input is refused.
    private static let maximumInputs = 10_000

    /// Returns the position of a new input among all inputs. An input that is sent again keeps its position.
    func nextInputOrder() -> UInt64 {
        lastInputOrder += 1
        return lastInputOrder
    }

    /// Runs a body when a session's scene can receive inputs: at once, or in order after the scene has moved.
    func whenRunning(
        _ id: String, order: UInt64, within limit: Duration,
        _ run: @escaping @MainActor (Result<Place, any Error>) -> Void
    ) {
        guard let session = table.sessions[id] else { return run(.failure(SceneCommandError.notOpen(id))) }
        if let place = place(of: session) { return run(.success(place)) }
        guard !isEnding else { return run(.failure(SceneCommandError(.refused, "the host is ending"))) }
        guard table.mayRun(session, before: .now + limit) else { return run(.failure(notConnected(session))) }
        guard inputCount < Self.maximumInputs else {
            return run(.failure(SceneCommandError(.overloaded, "\(inputCount) inputs wait for scenes")))
        }
        inputCount += 1
        let input = Input(order: order, deadline: .now + limit, run: run)
        let place = inputs[id]?.lastIndex { $0.order < order }.map { $0 + 1 } ?? 0
        inputs[id, default: []].insert(input, at: place)
        inputDeadlines.insert(InputDeadline(deadline: input.deadline, session: id))
        arm()
    }

    private func place(of session: SessionTable.Session) -> Place? {
        guard case .running(let id) = session.phase, let worker = hub.links[id], !worker.isGone, table.mayAsk(session)
        else { return nil }
        return Place(worker: worker, token: session.token)
    }

    private func notConnected(_ session: SessionTable.Session) -> SceneCommandError {
        SceneCommandError(
            .notConnected, "session '\(session.id)' has no scene now: \(table.summary(of: session))")
    }

    /// Runs the inputs whose scenes are running now, and refuses those whose scenes will not run in time.
    ///
    /// It checks the sessions that have changed, and those with inputs that have reached their deadlines.
    func settleInputs(at now: MonotonicInstant) {
        let changes = table.takeChanges()
        guard !inputs.isEmpty else {
            if !inputDeadlines.isEmpty { inputDeadlines = Heap() }
            return
        }
        var ids = changes.sessions.filter { inputs[$0] != nil }
        if !changes.exhausted.isEmpty {
            ids.formUnion(
                inputs.keys.filter {
                    table.sessions[$0].map { changes.exhausted.contains($0.record.configuration) } ?? true
                })
        }
        while let first = inputDeadlines.min, first.deadline <= now {
            inputDeadlines.removeMin()
            if inputs[first.session] != nil { ids.insert(first.session) }
        }
        for id in ids.sorted() { settleInputs(of: id, at: now) }
        if inputDeadlines.count > 2 * inputCount + 64 {
            inputDeadlines = Heap(
                inputs.flatMap { id, inputs in inputs.map { InputDeadline(deadline: $0.deadline, session: id) } })
        }
    }

    private func settleInputs(of id: String, at now: MonotonicInstant) {
        guard let session = table.sessions[id] else { return flush(id, with: .failure(SceneCommandError.notOpen(id))) }
        if let place = place(of: session) { return flush(id, with: .success(place)) }
        let over = (inputs[id] ?? []).filter { $0.deadline <= now || !table.mayRun(session, before: $0.deadline) }
        guard !over.isEmpty else { return }
        let orders = Set(over.map(\.order))
        inputs[id]?.removeAll { orders.contains($0.order) }
        if inputs[id]?.isEmpty == true { inputs[id] = nil }
        inputCount -= over.count
        for input in over { input.run(.failure(notConnected(session))) }
    }

    /// Fails all inputs when the host ends: no scene starts any more.
    func failInputs() {
        for id in inputs.keys.sorted() {
            flush(id, with: .failure(SceneCommandError(.refused, "the host is ending")))
        }
    }

    private func flush(_ id: String, with result: Result<Place, any Error>) {
        for input in inputs.removeValue(forKey: id) ?? [] {
            inputCount -= 1
            input.run(result)
        }
    }
}
