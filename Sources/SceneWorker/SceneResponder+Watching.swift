import Bus
import CoordinatorKit
import Messaging
import ZeroMQ

/// Tells the host what a scene shows, while somebody watches it.
extension SceneResponder {
    /// How long a question waits for a change. Its asker then asks again.
    static let watchLimit = Duration.seconds(20)

    // Its handler is not declared: each declaration costs every start of a worker.
    func sceneWatch(session id: String, known: UInt64?) async throws -> SceneUpdate {
        _ = try window(of: scene(id))
        let limit = MessageContext.current?.timeout.map { min(Self.watchLimit, $0 / 2) } ?? Self.watchLimit
        let question = watched.ask(id, known: known, at: .now)
        let answer = PendingResult<SceneUpdate>()
        answer.onCancel = { [weak self] in
            self?.watched.withdraw(question, of: id)
            self?.watchers.removeValue(forKey: question)?.finish(.failure(CancellationError()))
        }
        let expiry = LoopTimer { [weak self] in self?.answerUnchanged(question, of: id) }
        expiry.set(for: .now + limit)
        defer { expiry.cancel() }
        watchers[question] = answer
        drawWatched()
        return try await answer.value()
    }

    func sceneFill(session id: String, layer: String, fields: [String: String]) async throws {
        let scene = try activeScene(id)
        try TypedBounds.check(fields)
        guard try window(of: scene).fill(fields, in: layer) else {
            throw SceneCommandError.otherLayer
        }
        inputEnded(of: scene)
        drawAfterAction(id)
    }

    /// Looks at a scene that may show something else.
    func contentMayDiffer(of id: String) {
        guard let due = watched.changed(id, at: .now) else { return }
        if drawing.deadline.map({ due < $0 }) ?? true { drawing.set(for: due) }
    }

    /// Draws the scenes whose pictures are due, and answers who waits for them.
    func drawWatched() {
        let (ids, next) = watched.due(at: .now)
        for id in ids { draw(id) }
        if let next, drawing.deadline.map({ next < $0 }) ?? true { drawing.set(for: next) }
    }

    /// Shows what an action has changed at once.
    func drawAfterAction(_ id: String) {
        if watched.isAsked(id) { draw(id) }
    }

    private func draw(_ id: String) {
        guard let token = table.token(of: id), let window = try? window(of: scene(id)) else { return }
        let (whole, images) = window.layersWithImages
        let layers = whole.bounded
        if !images.isEmpty {
            // What is beyond the bounds must not take the room of what is shown.
            let hashes = layers.imageHashes
            watched.drawn(id, images.filter { hashes.contains($0.key) })
        }
        for (question, update) in watched.drawn(id, layers, token: token, at: .now) {
            watchers.removeValue(forKey: question)?.finish(.success(update))
        }
    }

    private func answerUnchanged(_ question: ShownScenes.Question, of id: String) {
        guard let token = table.token(of: id),
            let update = watched.unchanged(question, of: id, token: token)
        else { return }
        watchers.removeValue(forKey: question)?.finish(.success(update))
    }

    /// Ends the questions for a scene that is gone.
    func endWatching(_ id: String) {
        for question in watched.forget(id) {
            watchers.removeValue(forKey: question)?.finish(.failure(SceneCommandError.unknownSession(id)))
        }
    }
}
