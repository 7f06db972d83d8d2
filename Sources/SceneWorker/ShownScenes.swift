import Bus
import SceneContent
import ZeroMQ

/// The pictures of the scenes that somebody watches.
///
/// This value decides when the host's question for a scene is answered, and with what; ``SceneResponder`` draws the scene and
/// answers. Nobody watches: it is empty.
struct ShownScenes {
    /// The least time between two drawings of a scene, but for those after an action.
    static let interval = Duration.milliseconds(50)
    /// How long the picture of a scene is kept that the host asks for no more.
    static let rest = Duration.seconds(10)

    /// A number that distinguishes a question from others.
    typealias Question = Int

    private struct Shown {
        /// The picture that the host has, or has been sent.
        var layers: SceneLayers?
        /// The images of this picture and of earlier ones.
        var images = ShownImages()
        /// How often what the scene shows has changed since it is watched.
        var number: UInt64 = 0
        /// When the scene was drawn last.
        var drawnAt: MonotonicInstant
        /// Whether the scene may show something else than its picture.
        var isStale = true
        /// The questions that wait for a change, with the number that each asker has.
        var questions: [Question: UInt64?] = [:]

        /// Whether a question may be answered: the scene may have changed, or an asker has another picture than the last one.
        var wantsAnswer: Bool { isStale || questions.values.contains { $0 != number } }
    }

    private var scenes: [String: Shown] = [:]
    private var lastQuestion = 0
    /// The number at which each scene goes on when it is watched again, so that a number never stands for two pictures.
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { scenes.isEmpty }

    /// Notes a question for a scene.
    /// - Parameter known: the number of the picture that the asker has; `nil` for none.
    mutating func ask(_ id: String, known: UInt64?, at now: MonotonicInstant) -> Question {
        lastQuestion += 1
        var shown = scenes[id] ?? Shown(number: lastNumber, drawnAt: now - Self.interval)
        shown.questions[lastQuestion] = known
        scenes[id] = shown
        return lastQuestion
    }

    /// Forgets a question that nobody waits for any more.
    mutating func withdraw(_ question: Question, of id: String) { scenes[id]?.questions[question] = nil }

    /// Notes that a scene may show something else.
    /// - Returns: when to look at it; `nil` if nobody watches it.
    mutating func changed(_ id: String, at now: MonotonicInstant) -> MonotonicInstant? {
        guard var shown = scenes[id] else { return nil }
        shown.isStale = true
        if shown.questions.isEmpty, now - shown.drawnAt >= Self.rest {
            scenes[id] = nil
            return nil
        }
        scenes[id] = shown
        return shown.questions.isEmpty ? nil : max(now, shown.drawnAt + Self.interval)
    }

    /// The scenes to draw now, and when to look again; `nil` for not before a change or a question.
    func due(at now: MonotonicInstant) -> (ids: [String], next: MonotonicInstant?) {
        var ids: [String] = []
        var next: MonotonicInstant?
        for (id, shown) in scenes where !shown.questions.isEmpty && shown.wantsAnswer {
            let due = shown.drawnAt + Self.interval
            if due <= now { ids.append(id) } else { next = min(next ?? due, due) }
        }
        return (ids, next)
    }

    /// Whether somebody watches a scene, or did shortly before.
    func isWatched(_ id: String) -> Bool { scenes[id] != nil }

    /// Whether a scene is to be drawn for a question.
    func isAsked(_ id: String) -> Bool { scenes[id]?.questions.isEmpty == false }

    /// Takes what a scene shows now.
    /// - Parameter token: the scene's fencing token.
    /// - Returns: the answers to the questions that it answers.
    mutating func drawn(
        _ id: String, _ layers: SceneLayers, token: UInt64, at now: MonotonicInstant
    ) -> [Question: SceneUpdate] {
        guard var shown = scenes[id] else { return [:] }
        shown.isStale = false
        var answers: [Question: SceneUpdate] = [:]
        let before = shown.layers
        let numberBefore = shown.number
        if layers != before {
            shown.layers = layers
            shown.number += 1
            lastNumber = max(lastNumber, shown.number)
        }
        let revision = SceneRevision(token: token, number: shown.number)
        for (question, known) in shown.questions where known != shown.number {
            if let before, known == numberBefore {
                answers[question] = SceneUpdate(revision: revision, difference: layers.difference(from: before))
            } else {
                answers[question] = SceneUpdate(revision: revision, content: layers)
            }
            shown.questions[question] = nil
        }
        shown.drawnAt = now
        scenes[id] = shown
        return answers
    }

    /// Takes the images of what a scene shows now.
    mutating func drawn(_ id: String, _ images: [String: ImageData]) { scenes[id]?.images.show(images) }

    /// An image of a watched scene; `nil` if none of its last pictures has one with this hash.
    func image(_ hash: String, of id: String) -> ImageData? { scenes[id]?.images[hash] }

    /// The answer to a question that has waited long enough: nothing has changed.
    mutating func unchanged(_ question: Question, of id: String, token: UInt64) -> SceneUpdate? {
        guard let shown = scenes[id], let known = shown.questions[question] else { return nil }
        scenes[id]?.questions[question] = nil
        return SceneUpdate(revision: SceneRevision(token: token, number: known ?? shown.number))
    }

    /// Ends the questions for a scene that is gone.
    mutating func forget(_ id: String) -> [Question] {
        guard let shown = scenes.removeValue(forKey: id) else { return [] }
        return Array(shown.questions.keys)
    }
}
