import Bus
import Hub
import Messaging

/// Operators' requests to the scene of a session.
extension HostControl {
    private static let sceneTimeout = Duration.seconds(10)

    func hostSceneContent(session: String) async throws -> ScreenContent {
        try await send(SceneMessagesList.sceneContent(session: session), to: session, SessionTable.Moment.content)
    }

    func hostSceneAct(session: String, action: String, fields: [String: String]) async throws -> ScreenContent {
        try await send(
            SceneMessagesList.sceneAct(session: session, action: action, fields: fields), to: session,
            SessionTable.Moment.act(action))
    }

    /// Sends a message to the scene of a session, when the scene runs.
    /// - Parameters:
    ///   - moment: what the scene is asked for; see ``SessionTable/Moment``.
    ///   - limit: how long it may take; `nil` for as long as the request that is being handled.
    func send<M: ResponderRequest>(
        _ message: M, to id: String, _ moment: String, within limit: Duration? = nil
    ) async throws -> M.Reply {
        // The deadline is that of the original request; this handler has none of its own.
        let end = MonotonicInstant.now + (limit ?? MessageContext.current?.timeout ?? Self.sceneTimeout)
        let order = sessions.nextInputOrder()
        while true {
            try Task.checkCancellation()
            do {
                return try await send(message, to: id, moment, order: order, until: end)
            } catch let error as MessageError where error.code == .peerLost && MonotonicInstant.now < end {
                // Send the message again after the scene has resumed, unless it may have been handled and must not
                // be handled twice.
                if error.mayHaveBeenHandled, M.delivery == .atMostOnce { throw error }
            }
        }
    }

    private func send<M: ResponderRequest>(
        _ message: M, to id: String, _ moment: String, order: UInt64, until end: MonotonicInstant
    ) async throws -> M.Reply {
        let call = SceneCall { [sessions] in sessions.cancelInput(order, of: id) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                sessions.whenRunning(id, order: order, within: end - .now) { [hub, sessions] place in
                    guard !call.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                    // Send before the next waiting input runs, so that inputs arrive in order.
                    call.task = Task.immediate {
                        do {
                            let place = try place.get()
                            let reply = try await sessions.asking(id, moment, token: place.token) {
                                try await hub.router.send(
                                    message, to: place.worker, session: id, token: place.token, timeout: end - .now)
                            }
                            continuation.resume(returning: reply)
                        } catch {
                            continuation.resume(throwing: error)
                        }
                    }
                }
            }
        } onCancel: {
            Task { @MainActor in call.cancel() }
        }
    }
}

/// A request to a scene that can be cancelled before and after it is sent.
@MainActor
private final class SceneCall {
    /// Sends the request; `nil` while it waits for its scene.
    var task: Task<Void, Never>?
    private(set) var isCancelled = false
    private let stopWaiting: @MainActor () -> Void

    /// - Parameter stopWaiting: drops the request while it waits for its scene.
    init(stopWaiting: @escaping @MainActor () -> Void) {
        self.stopWaiting = stopWaiting
    }

    func cancel() {
        isCancelled = true
        if let task { task.cancel() } else { stopWaiting() }
    }
}
