package import Bus
import Messaging

/// Who sees a scene at this process, which others who watch it are told.
@MainActor
package final class SceneViewers {
    private var watchers: SceneWatchers
    /// Those questions to the host that wait, by their order.
    private var questions: [Int: Task<SceneNews, any Error>] = [:]
    private var lastQuestion = 0

    package nonisolated init(_ watchers: SceneWatchers) { self.watchers = watchers }

    /// One who sees it.
    /// - Parameter surface: where, such as "terminal".
    package nonisolated convenience init(on surface: String) {
        self.init(SceneWatchers([SceneWatcher(surface: surface)]))
    }

    /// Tells the host at once.
    package func change(to watchers: SceneWatchers) {
        guard watchers != self.watchers else { return }
        self.watchers = watchers
        // The question that waits has those before.
        for question in questions.values { question.cancel() }
    }

    /// Asks the host, which answers in its own time.
    /// - Returns: `nil` if they have changed before there was an answer.
    func ask(_ body: @escaping @MainActor (SceneWatchers) async throws -> SceneNews) async throws -> SceneNews? {
        lastQuestion += 1
        let (number, watchers) = (lastQuestion, watchers)
        let question = Task { try await body(watchers) }
        questions[number] = question
        defer { questions[number] = nil }
        do {
            return try await withTaskCancellationHandler {
                try await question.value
            } onCancel: {
                question.cancel()
            }
        } catch is CancellationError where !Task.isCancelled {
            return nil
        }
    }
}
