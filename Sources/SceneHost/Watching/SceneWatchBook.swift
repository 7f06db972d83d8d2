import Bus
import Foundation
import Hub
import Logging
import Messaging
import SceneContent
import ZeroMQ

/// Asks the workers for what the watched scenes show, and answers who watches. It carries out what ``SceneWatches`` decides.
@MainActor
final class SceneWatchBook {
    private let hub: Hub
    private let sessions: SessionBook
    private let logger: Logger
    private var watches = SceneWatches(after: UInt64(max(0, Date().timeIntervalSince1970 * 1000)))
    private var waiting: [SceneWatches.Question: PendingResult<SceneNews>] = [:]
    /// The tasks that ask the workers, by session.
    private var asking: [String: Task<Void, Never>] = [:]
    /// The token of the worker's hold on the session that each of them asks for.
    private var askedTokens: [String: UInt64] = [:]
    /// Those of them that wait until their session changes. They go on with what was asked when it did.
    private var pauses: [String: PendingResult<AskedWorker?>] = [:]
    private var faults = LoggedFaults()
    private var isEnding = false
    private lazy var timer = LoopTimer { [weak self] in self?.forgetUnwatched() }

    /// A worker that was asked for a picture.
    private struct AskedWorker {
        let place: SessionBook.Place
        let picture: Task<Picture, any Error>
    }

    /// What a worker has answered, and how long it took to decode it.
    private struct Picture {
        let update: SceneUpdate
        let time: Duration
    }

    /// How long to wait before a worker is asked again that could not answer.
    private static let retry = Duration.seconds(1)
    /// The least time between two questions, unless the first one's answer was a change: a worker that has nothing new must
    /// not keep the host busy. For changes, see ``PicturePace``.
    private static let interval = Duration.milliseconds(50)
    /// The least time between two looks at who is gone.
    private static let glance = Duration.milliseconds(250)

    init(hub: Hub, sessions: SessionBook, logger: Logger) {
        self.hub = hub
        self.sessions = sessions
        self.logger = logger
        sessions.onChanges = { [weak self] in self?.sessionsChanged($0) }
    }

    /// Whether nobody watches.
    var isEmpty: Bool { watches.isEmpty }

    /// Waits until there is something that a watcher does not have, or for a while.
    /// - Parameter watchers: who sees the scene at the asker, as it says.
    func news(of id: String, _ known: SceneWatches.Known, _ watchers: SceneWatchers?) async throws -> SceneNews {
        let session = try sessions.session(id)
        guard !isEnding else { throw Self.draining }
        let longest = known.state == nil ? SceneWatches.firstLimit : SceneWatches.limit
        let limit = MessageContext.current?.timeout.map { min(longest, $0 / 2) } ?? longest
        let now = MonotonicInstant.now
        let condition = self.condition(of: session)
        // A problem may change without the session, and is news for all who wait.
        if watches.changed(id, to: condition, time: Self.time) { settle(id) }
        guard
            let question = watches.ask(
                id, known, condition: condition, from: try asker(watchers), at: now, time: Self.time)
        else {
            throw SceneCommandError(
                .overloaded, "it watches \(SceneWatches.maximumQuestions) scenes already: end some of them first")
        }
        let answer = PendingResult<SceneNews>()
        waiting[question] = answer
        answer.onCancel = { [weak self] in self?.end(question, of: id, with: .failure(CancellationError())) }
        let expiry = LoopTimer { [weak self] in
            guard let self, let news = watches.unchanged(question, of: id, at: .now) else { return }
            end(question, of: id, with: .success(news))
        }
        expiry.set(for: now + limit)
        defer { expiry.cancel() }
        // Not in the name of who asks first: the picture is for all who watch.
        begin(id)
        settleCompany(of: id)
        if let news = watches.answer(to: question, of: id, at: .now) { end(question, of: id, with: .success(news)) }
        return try await answer.value()
    }

    /// Who asks, and who sees the scene there.
    private func asker(_ watchers: SceneWatchers?) throws -> SceneWatches.Asker {
        let actor = MessageContext.current?.actor
        let access = try hub.linkOfSender?.access
        var others = (watchers ?? SceneWatchers([SceneWatcher(surface: "")])).bounded
        others.named = others.named.map { SceneWatcher($0, at: actor, access) }
        return SceneWatches.Asker(
            sender: try sessions.sender, id: actor?.text ?? "", watchers: others, wantsCompany: watchers != nil)
    }

    /// Tells those who watch a scene who else does.
    private func settleCompany(of id: String) {
        let (isNews, next) = watches.settleCompany(of: id, at: .now)
        if isNews { settle(id) }
        // However many scenes are watched, they are looked through a few times a second.
        if let next { timer.set(noLaterThan: max(next, .now + Self.glance)) }
    }

    /// Begins to ask the worker of a scene.
    private func begin(_ id: String) {
        guard asking[id] == nil else { return }
        asking[id] = MessageContext.with(nil) {
            Task {
                await ask(id)
                (asking[id], askedTokens[id]) = (nil, nil)
                // Somebody may have asked after the task was cancelled.
                if watches.isWatched(id), !isEnding { begin(id) }
            }
        }
    }

    private func end(_ question: SceneWatches.Question, of id: String, with result: Result<SceneNews, any Error>) {
        watches.withdraw(question, of: id, at: .now)
        waiting.removeValue(forKey: question)?.finish(result)
        timer.set(noLaterThan: .now + SceneWatches.rest)
    }

    /// Answers who waits for what is known of a scene now.
    /// - Returns: how many are answered.
    @discardableResult
    private func settle(_ id: String) -> Int {
        let answers = watches.answers(of: id, at: .now)
        for (question, news) in answers { end(question, of: id, with: .success(news)) }
        return answers.count
    }

    private func forgetUnwatched() {
        let next = watches.forgetUnwatched(at: .now)
        for (id, task) in asking where !watches.isWatched(id) { task.cancel() }
        if let next { timer.set(noLaterThan: next) }
        for id in watches.watched { settleCompany(of: id) }
    }

    /// The answer while the host ends. Who watches goes on with the next host, so it is no refusal.
    private static var draining: MessageError {
        MessageError(.draining, message: HostMessagesList.hostSceneWatch.name, detail: "the host is ending")
    }

    /// Fails all questions, because the host ends.
    func end() {
        isEnding = true
        for (_, answer) in waiting {
            answer.finish(.failure(Self.draining))
        }
        waiting = [:]
        for task in asking.values { task.cancel() }
        timer.cancel()
    }

    // MARK: - Sessions

    private func condition(of session: SessionTable.Session) -> SceneWatches.Condition {
        let status = sessions.status(of: session)
        return SceneWatches.Condition(state: status.state, problem: status.problem)
    }

    private static var time: Double { Date().timeIntervalSince1970 }

    /// Tells who watches how sessions are that have changed.
    private func sessionsChanged(_ ids: Set<String>) {
        guard !watches.isEmpty else { return }
        for id in ids where watches.isWatched(id) {
            guard let session = sessions.table.sessions[id] else {
                let error = SceneCommandError.notOpen(id)
                for question in watches.closed(id, at: .now) {
                    waiting.removeValue(forKey: question)?.finish(.failure(error))
                }
                asking[id]?.cancel()
                continue
            }
            watches.changed(id, to: condition(of: session), time: Self.time)
            settle(id)
            // At once: a scene under suspicion may be asked only now, before another one is in its worker's hands.
            if let pause = pauses[id], !pause.isFinished { pause.finish(.success(askWorker(of: id))) }
            // The scene has moved: what its former worker still says of it does not count, and nobody waits for it.
            if let token = askedTokens[id], let place = sessions.place(of: session), place.token != token {
                asking[id]?.cancel()
            }
        }
    }

    // MARK: - Workers

    /// Asks the worker of a scene for what it shows, again and again, as long as somebody watches.
    private func ask(_ id: String) async {
        var asked: AskedWorker?
        while watches.isWatched(id), !Task.isCancelled {
            var end = MonotonicInstant.now + Self.retry
            if let now = asked ?? askWorker(of: id) { end = await answer(of: now, id) }
            asked = await pause(id, until: end)
        }
        asked?.picture.cancel()
    }

    /// Asks the worker of a scene for what it shows.
    /// - Returns: `nil` if it cannot be asked now.
    private func askWorker(of id: String) -> AskedWorker? {
        guard let session = sessions.table.sessions[id], let place = sessions.place(of: session),
            // Each question uses up a credit until something changes, and inputs need some, too.
            !place.worker.isBusy
        else { return nil }
        askedTokens[id] = place.token
        let picture = MessageContext.with(nil) { Task.immediate { try await self.picture(of: id, at: place) } }
        return AskedWorker(place: place, picture: picture)
    }

    /// Waits for a worker's answer, and takes it.
    /// - Returns: until when the next question waits, which may be before now.
    private func answer(of asked: AskedWorker, _ id: String) async -> MonotonicInstant {
        let place = asked.place
        let next = MonotonicInstant.now + Self.interval
        do {
            let picture = try await withTaskCancellationHandler {
                try await asked.picture.value
            } onCancel: {
                asked.picture.cancel()
            }
            let update = picture.update
            guard !Task.isCancelled, update.revision.token == place.token else { return .now + Self.retry }
            let began = MonotonicInstant.now
            let answers = take(watches.received(update, of: id, from: place.worker.name), of: id)
            let ended = MonotonicInstant.now
            let due = watches.took(picture.time + (ended - began), answers: answers, of: id, at: ended)
            guard watches.revision(of: id) != nil else { return ended + Self.retry }
            return update.difference == nil ? max(next, due) : due
        } catch let error as MessageError where error.code == .unhandled {
            // A worker of an earlier version cannot be asked for changes.
            if let content = try? await plainContent(of: id, at: place), !Task.isCancelled {
                let reason = watches.received(plain: content, of: id, from: place.worker.name, token: place.token)
                take(reason, of: id)
            }
            return .now + Self.retry
        } catch {
            return .now + Self.retry
        }
    }

    /// Answers who waits for a picture that has come.
    /// - Parameter reason: why it is not shown as it is.
    /// - Returns: how many are answered.
    @discardableResult
    private func take(_ reason: String?, of id: String) -> Int {
        if let reason {
            hub.count("refused: a scene's picture")
            faults.log(
                .warning, "a worker's screen cannot be shown", of: id,
                ["session": "\(id)", "reason": "\(String(foreign: reason))"], to: logger, at: .now)
        }
        return settle(id)
    }

    private func plainContent(of id: String, at place: SessionBook.Place) async throws -> ScreenContent {
        try await hub.router.send(
            SceneMessagesList.sceneContent(session: id), to: place.worker, session: id, token: place.token,
            timeout: SceneWatches.limit)
    }

    private func picture(of id: String, at place: SessionBook.Place) async throws -> Picture {
        let known = watches.revision(of: id)
        func ask(_ known: UInt64?) async throws -> Picture {
            let question = SceneMessagesList.sceneWatch(session: id, known: known)
            let request = try hub.router.request(question, session: id, token: place.token)
            let reply = try await hub.router.send(request, to: place.worker, timeout: SceneWatches.limit * 2)
            let began = MonotonicInstant.now
            let update = try SceneMessagesList.sceneWatch.reply(from: reply.payload)
            return Picture(update: update, time: MonotonicInstant.now - began)
        }
        if let known, known.token == place.token { return try await ask(known.number) }
        // A scene that is drawn for the first time is in its worker's hands: if the worker crashes, it may be the cause. While it
        // waits for a change, it is not.
        return try await sessions.asking(id, SessionTable.Moment.content, token: place.token) { try await ask(nil) }
    }

    /// Waits until a session has changed, or for a while.
    /// - Returns: the worker that was asked when it changed.
    private func pause(_ id: String, until end: MonotonicInstant) async -> AskedWorker? {
        guard end > .now else { return nil }
        let change = PendingResult<AskedWorker?>()
        pauses[id] = change
        change.onCancel = { change.finish(.success(nil)) }
        let timer = LoopTimer { change.finish(.success(nil)) }
        timer.set(for: end)
        defer {
            timer.cancel()
            pauses[id] = nil
        }
        return try? await change.value()
    }
}
