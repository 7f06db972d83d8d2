import Bus
import CBOR
import Hub
import Messaging
import SceneContent

/// Operators' requests to the scene of a session.
extension HostControl {
    private static let sceneTimeout = Duration.seconds(10)

    func hostSceneContent(session: String) async throws -> ScreenContent {
        try await send(SceneMessagesList.sceneContent(session: session), to: session, SessionTable.Moment.content)
    }

    func hostScenePicture(session: String) async throws -> SceneLayers {
        let layers = try await picture(of: session)
        if let reason = layers.malformation ?? layers.excess {
            throw SceneCommandError(
                .refused, "the scene's worker has sent a screen that cannot be shown: \(String(foreign: reason))")
        }
        return layers
    }

    private func picture(of session: String) async throws -> SceneLayers {
        do {
            // Who knows no picture is answered at once. It changes nothing, so another worker can be asked.
            let update = try await send(
                SceneMessagesList.sceneWatch(session: session, known: nil), to: session, SessionTable.Moment.content,
                isRepeatable: true)
            if let content = update.content { return content }
            // It has been drawn too late.
            throw MessageError(.timeout, message: HostMessagesList.hostScenePicture.name, mayHaveBeenHandled: true)
        } catch let error as MessageError where error.code == .unhandled {
            // A worker of an earlier version has the plain content only.
            return SceneLayers([ContentLayer(try await hostSceneContent(session: session))]).bounded
        }
    }

    func hostSceneImage(session: String, hash: String) async throws -> CBORBytes {
        guard ImageBlock.isHash(hash) else {
            throw SceneCommandError(
                .refused, "an image has a hash of 64 hexadecimal digits in lower case, which stands in its block")
        }
        let image = try await send(
            SceneMessagesList.sceneImage(session: session, hash: hash), to: session, SessionTable.Moment.content)
        guard image.bytes.count <= ContentBounds.image else {
            throw SceneCommandError(
                .refused,
                "the scene's worker has sent an image of \(image.bytes.count) bytes, and it has at most \(ContentBounds.image)"
            )
        }
        return image
    }

    func hostSceneAct(session: String, action: String, fields: ActionFields) async throws -> ScreenContent {
        try await perform(action, in: session, layer: nil, fields, content: nil)
    }

    func hostScenePerform(
        session: String, layer: String?, action: String, fields: ActionFields
    ) async throws {
        // It asks for what is on record. Workers of an earlier build do not look at the layer.
        guard layer != "" else { throw SceneCommandError.otherLayer }
        _ = try await perform(action, in: session, layer: layer, fields, content: false)
    }

    private func perform(
        _ action: String, in session: String, layer: String?, _ fields: ActionFields, content: Bool?
    ) async throws -> ScreenContent {
        // Not the fields, which may have a password.
        try await audit.keeping("\(session) \(action)") {
            try await send(
                SceneMessagesList.sceneAct(
                    session: session, layer: layer, action: action, fields: fields, content: content),
                to: session, SessionTable.Moment.act(action))
        }
    }

    func hostSceneFill(session: String, layer: String, fields: [String: String]) async throws {
        // It is an act, but no entry of the audit: there would be several for each word.
        _ = try await send(
            SceneMessagesList.sceneFill(session: session, layer: layer, fields: fields), to: session,
            SessionTable.Moment.act("fill"))
    }

    /// Sends a message to the scene of a session, when the scene runs.
    /// - Parameters:
    ///   - moment: what the scene is asked for; see ``SessionTable/Moment``.
    ///   - limit: how long it may take; `nil` for as long as the request that is being handled.
    ///   - isRepeatable: whether the scene may be asked twice.
    func send<M: ResponderRequest>(
        _ message: M, to id: String, _ moment: String, within limit: Duration? = nil,
        isRepeatable: Bool = M.delivery != .atMostOnce
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
                if error.mayHaveBeenHandled, !isRepeatable { throw error }
            }
        }
    }

    private func send<M: ResponderRequest>(
        _ message: M, to id: String, _ moment: String, order: UInt64, until end: MonotonicInstant
    ) async throws -> M.Reply {
        let reply = PendingResult<M.Reply>()
        var isCancelled = false
        let context = MessageContext.current
        reply.onCancel = { [sessions] in
            isCancelled = true
            sessions.cancelInput(order, of: id)
        }
        sessions.whenRunning(id, order: order, within: end - .now) { [hub, sessions] place in
            // An input that runs before this one may have cancelled it.
            if isCancelled { return reply.finish(.failure(CancellationError())) }
            // Send before the next waiting input runs, so that inputs arrive in order. It runs when anything settles the inputs,
            // such as a request of another peer, and yet it is an act of its own sender.
            let work = MessageContext.with(context) {
                Task.immediate {
                    do {
                        let place = try place.get()
                        reply.finish(
                            .success(
                                try await sessions.asking(id, moment, token: place.token) {
                                    try await hub.router.send(
                                        message, to: place.worker, session: id, token: place.token,
                                        timeout: end - .now)
                                }))
                    } catch {
                        reply.finish(.failure(error))
                    }
                }
            }
            if !reply.isFinished { reply.onCancel = { work.cancel() } }
        }
        return try await reply.value()
    }
}
