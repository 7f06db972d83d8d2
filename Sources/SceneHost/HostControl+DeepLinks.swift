import CoordinatorKit
import Bus
import CBOR
import Messaging

/// Opening a link in a scene.
extension HostControl {
    /// How long a scene may take to say whether it opens a link. One that does not answer is not chosen.
    private static let acceptanceTimeout = Duration.seconds(2)

    func hostOpen(link: CBORRaw, session id: String?) async throws -> SessionStatus {
        try shown(await audit.keeping(id) { try await open(link, session: id) })
    }

    private func open(_ link: CBORRaw, session id: String?) async throws -> SessionStatus {
        if let id = id ?? chosenSession(for: link) {
            _ = try await send(SceneMessagesList.sceneOpen(session: id, link: link), to: id, SessionTable.Moment.open)
            return sessions.status(of: try sessions.session(id))
        }
        var choice = LinkChoice()
        let atATime = LinkChoice.scenesAtATime(linkSize: link.bytes.count)
        var after: SessionOrder.Key?
        repeat {
            let (keys, last) = sessions.table.order.keys(after: after, limit: atATime)
            let running = keys.map(\.id).filter {
                if case .running = sessions.table.sessions[$0]?.phase { true } else { false }
            }
            for (id, answer) in zip(running, await acceptances(of: link, in: running)) { choice.add(answer, of: id) }
            for id in choice.takePreferred() {
                if let status = try await open(link, in: id, &choice) { return status }
            }
            after = last
            // Let other work run between two pages of sessions without scenes.
            await Task.yield()
            try Task.checkCancellation()
        } while after != nil
        for id in choice.accepting {
            if let status = try await open(link, in: id, &choice) { return status }
        }
        throw SceneCommandError(.refused, choice.refusal)
    }

    /// Asks scenes whether they open a link.
    /// - Returns: their answers, in the order of the sessions.
    private func acceptances(of link: CBORRaw, in ids: [String]) async -> [SceneAcceptance] {
        let questions = ids.map { id in Task { await acceptance(of: link, in: id) } }
        return await withTaskCancellationHandler {
            var answers: [SceneAcceptance] = []
            for question in questions { answers.append(await question.value) }
            return answers
        } onCancel: {
            for question in questions { question.cancel() }
        }
    }

    private func acceptance(of link: CBORRaw, in id: String) async -> SceneAcceptance {
        let question = SceneMessagesList.sceneAcceptance(session: id, link: link)
        do {
            return try await send(question, to: id, SessionTable.Moment.open, within: Self.acceptanceTimeout)
        } catch let error as MessageError where error.code == .unhandled {
            // A worker of an earlier version does not know the question. Its scene refuses the link when it opens it.
            return SceneAcceptance(answer: SceneAcceptance.accepted)
        } catch {
            return SceneAcceptance(answer: SceneAcceptance.declined, reason: "\(error)")
        }
    }

    /// Opens a link in a scene that has accepted it.
    /// - Returns: `nil` if the scene has refused it meanwhile, or cannot be reached.
    private func open(_ link: CBORRaw, in id: String, _ choice: inout LinkChoice) async throws -> SessionStatus? {
        do {
            _ = try await send(SceneMessagesList.sceneOpen(session: id, link: link), to: id, SessionTable.Moment.open)
            return sessions.status(of: try sessions.session(id))
        } catch let error as MessageError where error.mayHaveBeenHandled {
            // The scene may have opened the link already; no other scene may open it, too.
            throw error
        } catch {
            try Task.checkCancellation()
            choice.refused("\(error)", by: id)
            return nil
        }
    }

    /// The session that the application's delegate chooses for a link; `nil` if it leaves the choice to the scenes.
    private func chosenSession(for link: CBORRaw) -> String? {
        let application = sessions.application
        guard let link = try? link.decode(as: DeepLink.self) else { return nil }
        return application.delegate.session(for: link, of: application)?.persistentIdentifier
    }
}
