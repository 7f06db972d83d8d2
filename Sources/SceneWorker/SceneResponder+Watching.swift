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
            self?.watched.withdraw(question, of: id, at: .now)
            self?.end(question, with: .failure(CancellationError()))
        }
        let expiry = LoopTimer { [weak self] in self?.answerUnchanged(question, of: id) }
        expiry.set(for: .now + limit)
        defer {
            expiry.cancel()
            // What is resumed here runs later than the rest of this call, which sends the answer.
            if let leaving = leavingAnswers.removeValue(forKey: question) {
                resumingOnMainLoop { leaving.finish(.success(())) }
            }
        }
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
        if let due = watched.changed(id, at: .now) { drawing.set(noLaterThan: due) }
    }

    /// Draws the scenes whose pictures are due, and answers who waits for them.
    func drawWatched() {
        let (ids, next) = watched.due(at: .now)
        for id in ids { draw(id) }
        if let next { drawing.set(noLaterThan: next) }
    }

    /// Shows what an action has changed at once.
    /// - Returns: the questions that are answered.
    @discardableResult
    func drawAfterAction(_ id: String) -> [ShownScenes.Question] { watched.isAsked(id) ? draw(id) : [] }

    /// Waits until the answers to questions are sent, which are being answered.
    func untilAnswered(_ questions: [ShownScenes.Question]) async {
        let answers = questions.map { (question: $0, leaving: PendingResult<Void>()) }
        for answer in answers { leavingAnswers[answer.question] = answer.leaving }
        for answer in answers { try? await answer.leaving.value() }
    }

    /// - Returns: the questions that are answered.
    @discardableResult
    private func draw(_ id: String) -> [ShownScenes.Question] {
        guard let token = table.token(of: id), let window = try? window(of: scene(id)) else { return [] }
        let (all, images) = window.layersWithImages
        let layers = all.bounded
        watched.drawn(id, layers.shown(of: images))
        let answers = watched.drawn(id, layers, token: token, at: .now)
        for (question, update) in answers { end(question, with: .success(update)) }
        return Array(answers.keys)
    }

    private func end(_ question: ShownScenes.Question, with result: Result<SceneUpdate, any Error>) {
        if let answer = watchers.removeValue(forKey: question) { resumingOnMainLoop { answer.finish(result) } }
        // If it was the last one, the picture is forgotten then.
        drawing.set(noLaterThan: .now + ShownScenes.rest)
    }

    private func answerUnchanged(_ question: ShownScenes.Question, of id: String) {
        guard let token = table.token(of: id),
            let update = watched.unchanged(question, of: id, token: token, at: .now)
        else { return }
        end(question, with: .success(update))
    }

    /// Ends the questions for a scene that is gone.
    func endWatching(_ id: String) {
        for question in watched.forget(id) {
            watchers.removeValue(forKey: question)?.finish(.failure(SceneCommandError.unknownSession(id)))
        }
    }
}
