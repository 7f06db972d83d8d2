import Hub
import Bus
import CBOR
import Messaging
import Logging

extension SessionBook {
    /// Carries out an action of the table, and passes the outcome back to it.
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
                // A request that was not handled, or that the worker refused, has made no scene.
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
                // Only the code `unknownSession` proves that the worker will not resume the scene.
                case let error as RemoteError where error.sceneCommandCode == .unknownSession: .refused
                // The worker's lease has expired, and it has not resumed the scene.
                case let error as RemoteError where error.sceneCommandCode == .suspended: .notSent
                case let error as MessageError where !error.mayHaveBeenHandled && error.isPassing: .notSent
                default: .unknown
                }
            }
        case .freeze(let id, let worker, let token):
            send(SceneMessagesList.sceneFreeze(session: id), id, worker, token) { [self] result in
                do {
                    var state = try result.get()
                    // It is kept also without room: its worker lets the scene go.
                    if let given = state {
                        try CarriedItem.state.check(given)
                        state = try withoutSecrets(given)
                    }
                    perform(table.frozen(id, token: token, state: state))
                } catch let error as CBORError {
                    hub.count("refused: state beyond measure")
                    let reason = "its state cannot be carried to another worker: \(String(foreign: error))"
                    perform(table.freezeFailed(id, token: token, reason: reason, at: .now))
                } catch {
                    perform(table.freezeFailed(id, token: token, reason: String(foreign: error), at: .now))
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
                // No other worker may get the session before this one confirms that its scene is gone, or detaches.
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

    /// Drops links that do not fit into the request beside the session's state; with them the scene could not be made.
    private func leaveOutLinks(of session: SessionTable.Session, but links: [CBORRaw]) {
        table.keep(links: links, of: session.id)
        for _ in links.count..<session.links.count { hub.count("dropped: link beside a large state") }
        logger.warning(
            "links are not opened: the session's state leaves no room for them",
            metadata: ["session": "\(session.id)", "links": "\(session.links.count - links.count)"])
    }

    /// Sends a request to make or resume a scene, and reports the outcome to the table.
    private func start<M: ResponderRequest>(
        _ message: M, _ id: String, _ worker: UInt64, _ token: UInt64,
        failure: @escaping (any Error) -> SessionTable.ConnectFailure
    ) {
        let name = hub.links[worker]?.name ?? "its worker"
        send(message, id, worker, token) { [self] result in
            switch result {
            case .success:
                logger.info("scene placed", metadata: ["session": "\(id)", "worker": "\(String(foreign: name))"])
                perform(table.connected(id, token: token))
            case .failure(let error):
                logger.warning(
                    "a scene could not be placed",
                    metadata: [
                        "session": "\(id)", "worker": "\(String(foreign: name))", "error": "\(String(foreign: error))",
                    ])
                perform(
                    table.connectFailed(
                        id, token: token, failure(error), reason: "\(name): \(String(foreign: error))", at: .now))
            }
        }
    }

    /// Sends a request to a worker. It is sent before this method returns, so that requests to a worker arrive in
    /// order. It is the host's own: what becomes of one session may be decided while another's request is handled.
    private func send<M: ResponderRequest>(
        _ message: M, _ id: String, _ worker: UInt64, _ token: UInt64,
        then completion: @escaping @MainActor (Result<M.Reply, any Error>) -> Void
    ) {
        guard let link = hub.links[worker] else { return }
        MessageContext.with(nil) {
            _ = Task.immediate { [self] in
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
}

extension MessageError {
    /// Whether the same request may succeed later.
    fileprivate var isPassing: Bool {
        switch code {
        case .peerLost, .overloaded, .timeout, .draining: true
        case .unhandled, .unauthorized, .malformed: false
        }
    }
}
