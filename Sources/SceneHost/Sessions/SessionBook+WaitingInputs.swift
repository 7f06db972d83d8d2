import Access
import Hub
import Bus
import Messaging

extension SessionBook {
    /// Returns the position of a new input among all inputs. An input that is sent again keeps its position.
    func nextInputOrder() -> UInt64 {
        lastInputOrder += 1
        return lastInputOrder
    }

    /// Runs a body when a session's scene can receive inputs: at once, or in order after the scene has moved.
    ///
    /// It counts against the peer whose request is being handled.
    func whenRunning(
        _ id: String, order: UInt64, within limit: Duration,
        _ run: @escaping @MainActor (Result<Place, any Error>) -> Void
    ) {
        guard let session = table.sessions[id] else { return run(.failure(SceneCommandError.notOpen(id))) }
        if let place = place(of: session) { return run(.success(place)) }
        guard !isEnding else { return run(.failure(SceneCommandError(.refused, "the host is ending"))) }
        guard table.mayRun(session, before: .now + limit) else { return run(.failure(notConnected(session))) }
        let sender: String
        do { sender = try self.sender } catch { return run(.failure(error)) }
        let input = Inputs.Input(order: order, deadline: .now + limit, sender: sender, run: run)
        if let excess = inputs.add(input, of: id) {
            return run(.failure(SceneCommandError(.overloaded, excess)))
        }
        arm()
    }

    /// Whose share of the room a request takes that is being handled: the name of the sender's key, or its own if it has none;
    /// empty for this process.
    /// - Throws: ``MessageError`` if the peer is gone.
    var sender: String {
        get throws { try hub.linkOfSender.map { $0.access?.entry.name ?? $0.name } ?? "" }
    }

    /// Drops an input whose sender no longer waits, if it has not run yet.
    func cancelInput(_ order: UInt64, of id: String) {
        inputs.remove(order, of: id)?.run(.failure(CancellationError()))
    }

    /// Waits until a session's scene can receive inputs.
    func untilRunning(_ id: String, within limit: Duration) async throws {
        let order = nextInputOrder()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                whenRunning(id, order: order, within: limit) { continuation.resume(with: $0.map { _ in }) }
            }
        } onCancel: {
            Task { @MainActor in cancelInput(order, of: id) }
        }
    }

    /// Where a session's scene runs and can be asked; `nil` if it does not run now.
    func place(of session: SessionTable.Session) -> Place? {
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
        if !changes.sessions.isEmpty { onChanges?(changes.sessions) }
        var ids = inputs.sessionsDue(at: now)
        guard inputs.count > 0 else { return }
        ids.formUnion(changes.sessions.filter { inputs.hasInputs(of: $0) })
        if !changes.exhausted.isEmpty {
            ids.formUnion(
                inputs.sessions.filter {
                    table.sessions[$0].map { changes.exhausted.contains($0.record.configuration) } ?? true
                })
        }
        for id in ids.sorted() { settleInputs(of: id, at: now) }
    }

    private func settleInputs(of id: String, at now: MonotonicInstant) {
        guard let session = table.sessions[id] else { return flush(id, with: .failure(SceneCommandError.notOpen(id))) }
        if let place = place(of: session) { return flush(id, with: .success(place)) }
        let over = inputs.removeAll(of: id) { $0.deadline <= now || !table.mayRun(session, before: $0.deadline) }
        for input in over { input.run(.failure(notConnected(session))) }
    }

    /// Fails all inputs when the host ends: no scene starts any more.
    func failInputs() {
        for id in inputs.sessions.sorted() {
            flush(id, with: .failure(SceneCommandError(.refused, "the host is ending")))
        }
    }

    private func flush(_ id: String, with result: Result<Place, any Error>) {
        for input in inputs.removeAll(of: id) { input.run(result) }
    }
}
