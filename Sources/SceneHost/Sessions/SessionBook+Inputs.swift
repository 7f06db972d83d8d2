import Bus
import DequeModule

extension SessionBook {
    /// Inputs that may wait at a time; one more is refused.
    private static let maximumInputs = 10_000

    /// The place of an input among all inputs: one whose worker was gone when it was sent has its place back.
    func nextInputOrder() -> UInt64 {
        lastInputOrder += 1
        return lastInputOrder
    }

    /// Runs a body once a session's scene can take inputs: at once, or in their order when it is there after a move.
    func whenRunning(
        _ id: String, order: UInt64, within limit: Duration,
        _ run: @escaping @MainActor (Result<Place, any Error>) -> Void
    ) {
        guard let session = table.sessions[id] else { return run(.failure(SceneCommandError.notOpen(id))) }
        if let place = place(of: session) { return run(.success(place)) }
        guard table.mayRun(session, before: .now + limit) else { return run(.failure(notConnected(session))) }
        guard inputCount < Self.maximumInputs else {
            return run(.failure(SceneCommandError(code: "overloaded", "\(inputCount) inputs wait for scenes")))
        }
        inputCount += 1
        let input = Input(order: order, deadline: .now + limit, run: run)
        let place = inputs[id]?.lastIndex { $0.order < order }.map { $0 + 1 } ?? 0
        inputs[id, default: []].insert(input, at: place)
        arm()
    }

    private func place(of session: SessionTable.Session) -> Place? {
        guard case .running(let id) = session.phase, let worker = server.links[id], !worker.isGone else { return nil }
        return Place(worker: worker, token: session.token)
    }

    private func notConnected(_ session: SessionTable.Session) -> SceneCommandError {
        SceneCommandError(
            code: "notConnected", "session '\(session.id)' has no scene now: \(table.summary(of: session))")
    }

    /// Lets the inputs run whose scenes have come, and refuses those whose scenes will not come.
    func settleInputs(at now: ContinuousClock.Instant) {
        for id in inputs.keys.sorted() {
            guard let session = table.sessions[id] else {
                flush(id, with: .failure(SceneCommandError.notOpen(id)))
                continue
            }
            if let place = place(of: session) {
                flush(id, with: .success(place))
            } else {
                while let first = inputs[id]?.first,
                    first.deadline <= now || !table.mayRun(session, before: first.deadline)
                {
                    inputs[id]?.removeFirst()
                    inputCount -= 1
                    first.run(.failure(notConnected(session)))
                }
            }
        }
    }

    private func flush(_ id: String, with result: Result<Place, any Error>) {
        for input in inputs.removeValue(forKey: id) ?? [] {
            inputCount -= 1
            input.run(result)
        }
    }
}
