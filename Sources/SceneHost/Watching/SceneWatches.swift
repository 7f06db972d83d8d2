import Bus
import Messaging
import SceneContent
import ZeroMQ

/// What the scenes show that somebody watches, and who waits for news of them.
///
/// A watcher asks, gets an answer when there is something that it does not have, and asks again. So each gets what it can take:
/// a slow one is told less often, and then what has changed since its last picture. This value decides who is answered, and
/// with what; ``SceneWatchBook`` asks the workers.
struct SceneWatches {
    /// How long a question waits if nothing changes, and how long one of an asker who knows nothing yet waits for the picture of
    /// a scene that runs.
    static let limit = Duration.seconds(20)
    static let firstLimit = Duration.seconds(2)
    /// How long a scene is watched for which nobody asks any more.
    static let rest = Duration.seconds(5)
    /// The most questions of one sender that wait at the same time.
    static let maximumQuestions = 1000
    /// The most that a picture, and all pictures with their histories, may take in memory: see `ContentNode.cost`. It bounds
    /// what workers can make the host keep. Beyond it, workers that have more than an equal share get no more.
    static let maximumCost = ContentBounds.nodes * 128 + 2 * ContentBounds.bytes
    static let maximumTotalCost = 400 << 20
    /// The most earlier pictures of a scene from which a watcher can go on; what the differences between them may take; and what
    /// they may hold that is theirs alone, if there are several.
    static let maximumHistory = 8
    static let maximumHistoryCost = 1 << 20
    /// The most watchers of a scene of whom others are told.
    static let maximumCompany = 1000

    typealias Question = Int

    /// What an asker has.
    struct Known: Hashable {
        var revision: SceneRevision?
        var state: SessionState?
        var problem: String?
        /// The number of what it knows of others who watch.
        var company: UInt64?
    }

    /// Who asks.
    struct Asker: Hashable {
        /// Whose share of the room the question takes.
        var sender: String
        /// Tells it from other watchers.
        var id: String
        /// Who sees the scene there, as others are told.
        var watchers = SceneWatchers()
        /// Whether it wants to know of others. A program of an earlier version does not.
        var wantsCompany = false
    }

    /// How a session is.
    struct Condition: Hashable {
        var state: SessionState
        var problem: String?
    }

    private var scenes: [String: Watched] = [:]
    private var lastQuestion = 0
    /// The number of the last picture that had none from its worker. It counts for all scenes, so that none has it twice, also
    /// when it was not watched meanwhile.
    private var lastNumber: UInt64
    private var counts: [String: Int] = [:]
    private var cost = 0
    /// What each worker's pictures take.
    private var costs: [String: Int] = [:]

    /// - Parameter number: what those numbers follow. A worker keeps its tokens over lives of the host, so no two lives may
    ///   have the same.
    init(after number: UInt64 = 0) { lastNumber = number }

    var isEmpty: Bool { scenes.isEmpty }
    var watched: [String] { Array(scenes.keys) }
    func isWatched(_ id: String) -> Bool { scenes[id] != nil }
    /// The number of the worker's picture of a scene from which the worker can go on; `nil` for none.
    func revision(of id: String) -> SceneRevision? { scenes[id].flatMap { $0.isReplaced ? nil : $0.revision } }

    // MARK: - Questions

    /// Notes a question.
    /// - Parameters:
    ///   - condition: how the session is; see also ``changed(_:to:time:)``.
    ///   - asker: who asks, and whose share of the room it takes.
    ///   - time: the time in seconds since 1970.
    /// - Returns: the question, or `nil` if its sender has too many.
    mutating func ask(
        _ id: String, _ known: Known, condition: Condition, from asker: Asker, at now: MonotonicInstant, time: Double
    ) -> Question? {
        guard counts[asker.sender, default: 0] < Self.maximumQuestions else { return nil }
        lastQuestion += 1
        // In place: a copy of the questions for each of them would take a time that grows with the square of their number.
        scenes[id, default: Watched(condition: condition, since: time, askedAt: now)]
            .questions[lastQuestion] = (known, asker)
        scenes[id]?.company.come(asker.id, as: asker.watchers)
        scenes[id]?.askedAt = now
        counts[asker.sender, default: 0] += 1
        return lastQuestion
    }

    /// Removes a question, which is answered or for which nobody waits.
    mutating func withdraw(_ question: Question, of id: String, at now: MonotonicInstant) {
        guard let asked = scenes[id]?.questions.removeValue(forKey: question) else { return }
        scenes[id]?.askedAt = now
        scenes[id]?.company.go(asked.asker.id, at: now, rest: Self.rest)
        let count = counts[asked.asker.sender, default: 1] - 1
        counts[asked.asker.sender] = count > 0 ? count : nil
    }

    /// The questions to answer now, with the answers.
    mutating func answers(of id: String, at now: MonotonicInstant) -> [Question: SceneNews] {
        guard let watched = scenes[id] else { return [:] }
        var answers: [Question: SceneNews] = [:]
        // Watchers with the same picture get the same difference, which is made once.
        var differences: [SceneRevision: ContentDifference] = [:]
        for (question, asked) in watched.questions where watched.isNews(to: asked.known, of: asked.asker) {
            answers[question] = news(of: id, for: asked, &differences)
        }
        for question in answers.keys { withdraw(question, of: id, at: now) }
        return answers
    }

    /// The answer to a question that has just come, if it is to be answered now. It does not look at those of others: a thousand
    /// who ask again after a change would look at a thousand questions each.
    mutating func answer(to question: Question, of id: String, at now: MonotonicInstant) -> SceneNews? {
        guard let asked = scenes[id]?.questions[question],
            scenes[id]?.isNews(to: asked.known, of: asked.asker) == true
        else { return nil }
        return unchanged(question, of: id, at: now)
    }

    /// The answer to a question that has waited long enough.
    mutating func unchanged(_ question: Question, of id: String, at now: MonotonicInstant) -> SceneNews? {
        guard let asked = scenes[id]?.questions[question] else { return nil }
        withdraw(question, of: id, at: now)
        var differences: [SceneRevision: ContentDifference] = [:]
        return news(of: id, for: asked, &differences)
    }

    private mutating func news(
        of id: String, for asked: (known: Known, asker: Asker),
        _ differences: inout [SceneRevision: ContentDifference]
    ) -> SceneNews? {
        let before = scenes[id]?.cost ?? 0
        let news = scenes[id]?.news(for: asked.known, of: asked.asker, &differences)
        if let watched = scenes[id], watched.cost != before { count(watched.cost - before, of: watched.worker) }
        return news
    }

    // MARK: - News

    /// Takes the condition of a watched session.
    /// - Returns: whether it has changed.
    @discardableResult
    mutating func changed(_ id: String, to condition: Condition, time: Double) -> Bool {
        guard let before = scenes[id]?.condition, before != condition else { return false }
        if before.state != condition.state { scenes[id]?.since = time }
        scenes[id]?.condition = condition
        return true
    }

    /// Settles who watches a scene.
    /// - Returns: whether that is news for one of them, and when to look again.
    mutating func settleCompany(of id: String, at now: MonotonicInstant) -> (isNews: Bool, next: MonotonicInstant?) {
        scenes[id]?.company.settle(at: now) ?? (false, nil)
    }

    /// Takes what a worker has answered.
    /// - Returns: why it is not shown; `nil` if it is.
    mutating func received(_ update: SceneUpdate, of id: String, from worker: String) -> String? {
        guard var watched = scenes[id] else { return nil }
        var layers: SceneLayers
        var difference: ContentDifference?
        if let content = update.content {
            layers = content
        } else if let change = update.difference {
            guard let before = watched.layers, !watched.isReplaced, watched.revision?.token == update.revision.token
            else { return "it has sent a change of a picture that the host does not have" }
            do throws(DifferenceDoesNotFit) {
                layers = try before.applying(change)
                difference = change
            } catch {
                // The next question asks for the whole.
                scenes[id]?.revision = nil
                return "\(error)"
            }
        } else {
            return nil
        }
        count(-watched.cost, of: watched.worker)
        var size = layers.node.cost
        let problem = problem(of: layers, ofSize: size, from: worker)
        if let problem {
            layers = .unreadable(problem)
            size = layers.node.cost
            difference = nil
        }
        // What the worker has sent whole has nothing in common with the picture before, unless it is made of that.
        if difference == nil, let before = watched.layers, let (shared, change) = layers.sharing(with: before) {
            (layers, difference) = (shared, change)
        }
        watched.remember(difference: difference, until: layers, ofSize: size)
        watched.isReplaced = problem != nil
        watched.worker = worker
        watched.layers = layers
        watched.revision = update.revision
        watched.size = size
        watched.encoded = nil
        count(watched.cost, of: worker)
        scenes[id] = watched
        return problem
    }

    /// Counts a picture of a scene that has been taken.
    /// - Parameters:
    ///   - time: how long that took.
    ///   - answers: how many questions it answered.
    /// - Returns: when the scene's worker may be asked again, which may be before now.
    mutating func took(_ time: Duration, answers: Int, of id: String, at now: MonotonicInstant) -> MonotonicInstant {
        scenes[id]?.pace.took(time, answers: answers, at: now) ?? now
    }

    /// Returns why a picture is not shown; `nil` if it is.
    private func problem(of layers: SceneLayers, ofSize size: Int, from worker: String) -> String? {
        if let malformation = layers.malformation { return malformation }
        guard size <= Self.maximumCost else { return "it is too large" }
        if let excess = layers.excess { return excess }
        let all = costs[worker, default: 0] + size
        guard cost + size > Self.maximumTotalCost, all > Self.maximumTotalCost / max(costs.count, 1) else { return nil }
        return "the pictures of its worker's scenes are too large together"
    }

    private mutating func count(_ change: Int, of worker: String) {
        cost += change
        let sum = costs[worker, default: 0] + change
        costs[worker] = sum > 0 ? sum : nil
    }

    /// Takes the plain content of a scene whose worker cannot be asked for changes.
    mutating func received(plain content: ScreenContent, of id: String, from worker: String, token: UInt64) -> String? {
        guard let watched = scenes[id] else { return nil }
        let layers = SceneLayers([ContentLayer(content)]).bounded
        if layers == watched.layers, watched.revision?.token == token { return nil }
        lastNumber += 1
        let revision = SceneRevision(token: token, number: lastNumber)
        return received(SceneUpdate(revision: revision, content: layers), of: id, from: worker)
    }

    /// Forgets a session that is closed.
    /// - Returns: the questions to fail.
    mutating func closed(_ id: String, at now: MonotonicInstant) -> [Question] {
        let questions = scenes[id].map { Array($0.questions.keys) } ?? []
        for question in questions { withdraw(question, of: id, at: now) }
        forget(id)
        return questions
    }

    /// Forgets the scenes for which nobody has asked for a while.
    /// - Returns: when to look again; `nil` if nobody watches.
    mutating func forgetUnwatched(at now: MonotonicInstant) -> MonotonicInstant? {
        var next: MonotonicInstant?
        for (id, watched) in scenes where watched.questions.isEmpty {
            let end = watched.askedAt + Self.rest
            if end <= now { forget(id) } else { next = min(next ?? end, end) }
        }
        return next
    }

    private mutating func forget(_ id: String) {
        if let watched = scenes.removeValue(forKey: id) { count(-watched.cost, of: watched.worker) }
    }
}
