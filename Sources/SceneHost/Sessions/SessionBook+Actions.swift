import Hub
import Bus
import CBOR
import Messaging
import Logging

extension SessionBook {
    /// Carries out what the table has decided, and tells it what came of it.
    func perform(_ action: SessionTable.Action) {
        switch action {
        case .connect(let id, let worker, let token):
            guard let session = table.sessions[id] else { return }
            let record = session.record
            let links = CarriedItem.links(session.links, beside: record.state)
            if links.count < session.links.count { leaveOutLinks(of: session, but: links) }
            let connect = SceneMessagesList.sceneConnect(
                session: id, role: record.role, configuration: record.configuration, token: token,
                state: record.state, links: links)
            start(connect, id, worker, token) { error in
                // What was not handled made no scene, nor did what the worker refused.
                switch error {
                case let error as RemoteError: error.sceneCommandCode == .unreadableState ? .unreadableState : .refused
                case let error as MessageError where error.mayHaveBeenHandled: .unknown
                case let error as MessageError:
                    error.isPassing ? .notSent : .refused
                default: .unknown
                }
            }
        case .resume(let id, let worker, let token):
            start(SceneMessagesList.sceneResume(session: id, token: token), id, worker, token) { error in
                switch error {
                // Only a worker that has no such scene will surely not go on with it.
                case let error as RemoteError where error.sceneCommandCode == .unknownSession: .refused
                // Its lease is over, and it has done nothing.
                case let error as RemoteError where error.sceneCommandCode == .suspended: .notSent
                case let error as MessageError where !error.mayHaveBeenHandled && error.isPassing: .notSent
                default: .unknown
                }
            }
        case .freeze(let id, let worker, let token):
            send(SceneMessagesList.sceneFreeze(session: id), id, worker, token) { [self] result in
                do {
                    let state = try result.get()
                    if let state { try CarriedItem.state.check(state) }
                    perform(table.frozen(id, token: token, state: state))
                } catch let error as CBORError {
                    hub.count("refused: state beyond measure")
                    let reason = "its state cannot be carried to another worker: \(error)"
                    perform(table.freezeFailed(id, token: token, reason: reason, at: .now))
                } catch {
                    perform(table.freezeFailed(id, token: token, reason: "\(error)", at: .now))
                }
            }
        case .store(let id):
            guard let record = table.sessions[id]?.record else { return }
            guard queue.take(id) else { return perform(table.stored(id)) }
            writer.write(.saveSessions([record])) { [self] error in
                if let error {
                    queue.add(id)
                    storeFailed(nil, error)
                }
                perform(table.stored(id))
            }
        case .withdraw(let id, let worker, let token):
            send(SceneMessagesList.sceneDiscard(session: id, token: token), id, worker, token) { [self] result in
                // Nobody else may have it before this worker says that it has not, or is gone.
                if case .failure = result {
                    table.withdrawFailed(id, token: token, at: .now)
                    return arm()
                }
                perform(table.withdrawn(id, token: token, at: .now))
            }
        case .discard(let id, let worker, let token):
            send(SceneMessagesList.sceneDiscard(session: id, token: token), id, worker, token) { [self] result in
                if case .failure = result {
                    table.discardFailed(id, at: worker, at: .now)
                    return arm()
                }
                perform(table.discarded(id, at: worker, token: token))
            }
        }
    }

    /// Forgets links for which the state of their session leaves no room: they would keep the scene from being made.
    private func leaveOutLinks(of session: SessionTable.Session, but links: [CBORRaw]) {
        table.keep(links: links, of: session.id)
        for _ in links.count..<session.links.count { hub.count("dropped: link beside a large state") }
        logger.warning(
            "links are not opened: the session's state leaves no room for them",
            metadata: ["session": "\(session.id)", "links": "\(session.links.count - links.count)"])
    }

    /// Has a scene made, or go on.
    private func start<M: ResponderRequest>(
        _ message: M, _ id: String, _ worker: UInt64, _ token: UInt64,
        failure: @escaping (any Error) -> SessionTable.ConnectFailure
    ) {
        let name = hub.links[worker]?.name ?? "its worker"
        send(message, id, worker, token) { [self] result in
            switch result {
            case .success:
                logger.info("scene placed", metadata: ["session": "\(id)", "worker": "\(name)"])
                perform(table.connected(id, token: token))
            case .failure(let error):
                logger.warning(
                    "a scene could not be placed",
                    metadata: ["session": "\(id)", "worker": "\(name)", "error": "\(error)"])
                perform(table.connectFailed(id, token: token, failure(error), reason: "\(name): \(error)", at: .now))
            }
        }
    }

    /// Sends a worker a request. Sent before this returns: what is sent to one worker arrives in order.
    private func send<M: ResponderRequest>(
        _ message: M, _ id: String, _ worker: UInt64, _ token: UInt64,
        then completion: @escaping @MainActor (Result<M.Reply, any Error>) -> Void
    ) {
        guard let link = hub.links[worker] else { return }
        Task.immediate { [self] in
            let result: Result<M.Reply, any Error>
            do {
                result = .success(
                    try await hub.router.send(
                        message, to: link, session: id, token: token, timeout: configuration.placementTimeout))
            } catch {
                result = .failure(error)
            }
            completion(result)
        }
    }
}

extension MessageError {
    /// Whether the same request may be taken later.
    fileprivate var isPassing: Bool {
        switch code {
        case .peerLost, .overloaded, .timeout, .draining: true
        case .unhandled, .unauthorized, .malformed: false
        }
    }
}
