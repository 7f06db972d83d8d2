import Bus
import Glibc
import Hub
import Logging
import Messaging

/// Sessions whose scenes may have crashed their workers, and what operators can do for them.
extension SessionBook {
    /// Sends a request to a running scene, and notes that the scene is in its worker's hands until the reply.
    /// - Parameters:
    ///   - moment: what the scene is asked for; see ``SessionTable/Moment``.
    ///   - token: the scene's token.
    func asking<Reply>(
        _ id: String, _ moment: String, token: UInt64, _ send: @MainActor () async throws -> Reply
    ) async throws -> Reply {
        table.asked(id, moment, token: token)
        do {
            let reply = try await send()
            ended(id, moment, token, .answered)
            return reply
        } catch {
            let outcome: SessionTable.AskOutcome =
                switch error {
                case is RemoteError: .answered
                case let error as MessageError where !error.mayHaveBeenHandled: .notHandled
                default: .unknown
                }
            ended(id, moment, token, outcome)
            throw error
        }
    }

    private func ended(_ id: String, _ moment: String, _ token: UInt64, _ outcome: SessionTable.AskOutcome) {
        if let actions = table.ended(id, moment, token: token, outcome, at: .now) { perform(actions) }
    }

    /// What is known of the crash of a worker.
    func crash(of link: HubLink) -> Suspicion.Crash {
        let words = plugins?.instance(named: link.name)?.output.present.crashWords
        return Suspicion.Crash(
            worker: link.name, time: Int64(time(nil)),
            words: words.map { String(foreign: $0, maximumLength: Suspicion.maximumWords) })
    }

    /// Logs which sessions of an earlier host are held, so that this host's log says why they have no scenes.
    func logHeld(_ records: [SessionRecord]) {
        let held = records.lazy.filter { $0.suspicion?.isHeld == true }
        for record in held.prefix(Self.maximumLogged) {
            logger.error(
                "a session is still held",
                metadata: [
                    "session": "\(record.id)", "reason": "\(record.suspicion?.problem(of: record.id) ?? "")",
                ])
        }
        let count = held.count
        guard count > Self.maximumLogged else { return }
        logger.error(
            "more sessions are still held; 'scenebus sessions ls' lists them",
            metadata: ["sessions": "\(count - Self.maximumLogged)"])
    }

    /// The number of held sessions that are logged one by one at the start.
    private static let maximumLogged = 16

    /// Saves the records that the table has changed, and logs which sessions have become suspect.
    func takeRecordChanges() {
        let changes = table.takeRecordChanges()
        for id in changes.accused {
            guard let suspicion = table.sessions[id]?.record.suspicion else { continue }
            if suspicion.isHeld {
                hub.count("held: session that crashed its workers")
                logger.error(
                    "a session is held",
                    metadata: ["session": "\(id)", "reason": "\(suspicion.problem(of: id))"])
            } else {
                logger.warning(
                    "a scene was in the hands of a worker that crashed",
                    metadata: [
                        "session": "\(id)", "worker": "\(suspicion.known?.last?.worker ?? "")",
                        "lastWords": "\(suspicion.known?.last?.words ?? "")",
                        "while": "\(SessionTable.Moment.words(suspicion.last))",
                    ])
            }
        }
        guard !changes.unsaved.isEmpty, !isEnding else { return }
        for id in changes.unsaved where table.sessions[id] != nil { queue.add(id) }
        saveUnsaved()
    }

    /// Gives a session to a worker again that is held, or that waits to be tried again.
    /// - Throws: ``SceneCommandError`` when it is not open.
    func retry(_ id: String) async throws -> SessionStatus {
        await whenOpened(id)
        perform(try table.retry(id))
        await whenSettled(id)
        return status(of: try session(id))
    }

    /// Starts a session's scene again without its stored state.
    /// - Throws: ``SceneCommandError`` when it is not open; ``StoreError`` when the store cannot be written. The state
    ///   is dropped from memory then, and from the store as soon as that can be written.
    func reset(_ id: String) async throws -> SessionStatus {
        await whenOpened(id)
        perform(try table.reset(id))
        if let record = table.sessions[id]?.record, queue.take(id) {
            do {
                try await writer.write(.saveSessions([record]))
            } catch {
                queue.add(id)
                storeFailed(nil, error)
                throw error
            }
        }
        await whenSettled(id)
        return status(of: try session(id))
    }

    /// Waits until a session's scene runs, or it is known why it does not.
    func whenSettled(_ id: String) async {
        try? await untilRunning(id, within: configuration.placementTimeout)
    }
}
