package import CBOR
package import Messaging
package import SceneContent

/// The requests of operators to the host.
///
/// The host carries links and states as encoded bytes; see ``CarriedItem``.
@ResponderMessages
package protocol HostMessages {
    func hostStatus() async throws -> HostStatus
    /// Returns a page of the attached peers; `after` is where the previous page ended.
    func hostLinks(after: String?, limit: Int?) async throws -> LinkList
    /// Returns a page of the open sessions, or only of those that a worker runs, creates, holds or is ending.
    func hostSessions(worker: String?, after: String?, limit: Int?) async throws -> SessionList
    func hostSession(session: String) async throws -> SessionStatus
    /// Opens a session.
    /// - Parameter session: the identifier that it gets; `nil` for one that the host makes.
    func hostOpenSession(
        configuration: String?, role: String, link: CBORRaw?, session: String?
    ) async throws -> SessionStatus
    /// Returns the state from which a session's next scene would start.
    func hostSessionState(session: String) async throws -> CBORRaw?
    func hostCloseSession(session: String) async throws
    /// Gives a session to a worker again that is held because workers crashed with its scene, or that waits to be tried
    /// again.
    func hostRetrySession(session: String) async throws -> SessionStatus
    /// Starts a session's scene again, without its stored state and its links.
    func hostResetSession(session: String) async throws -> SessionStatus
    func hostSceneContent(session: String) async throws -> ScreenContent
    /// Returns all that a session's scene shows now, of which ``hostSceneContent(session:)`` is the plain form. It is asked for anew,
    /// so what the scene was told before is in it.
    func hostScenePicture(session: String) async throws -> SceneLayers
    /// Returns what a session's scene shows, and the state of the session, as soon as it differs from what the asker has, or after a while without a change.
    /// Who watches a scene asks again after each reply.
    /// - Parameters:
    ///   - known: the picture that the asker has; `nil` for none.
    ///   - state: the state of the session that the asker knows; `nil` for none.
    ///   - problem: the problem of the session that the asker knows.
    ///   - watchers: those who see the scene at the asker, as others are told; `nil` for one who does not want to know of others.
    ///   - company: the number of what the asker knows of the others; `nil` for nothing.
    func hostSceneWatch(
        session: String, known: SceneRevision?, state: SessionState?, problem: String?,
        watchers: SceneWatchers?, company: UInt64?
    ) async throws -> SceneNews
    /// Returns the bytes of an image that a session's scene shows, or has shown shortly before, when the scene runs.
    /// - Parameter hash: their SHA-256, as in the image's block.
    func hostSceneImage(session: String, hash: String) async throws -> CBORBytes
    func hostSceneAct(session: String, action: String, fields: ActionFields) async throws -> ScreenContent
    /// Performs an action of a scene at most once for each id of the request, which the surface chooses: it can send the request again until
    /// it has a reply. There is no content in the reply, because the host keeps it on record.
    /// - Parameter layer: the key of the layer in which it was performed; it is refused if the scene shows another one. `nil` for
    ///   whichever it shows; empty to have only a copy answered, and to be refused otherwise.
    @Once func hostScenePerform(
        session: String, layer: String?, action: String, fields: ActionFields
    ) async throws
    /// Stores what a person has typed and not sent yet, so that other surfaces and the session's next scene have it.
    /// - Parameters:
    ///   - layer: the key of the layer in which it was typed; it is refused if the scene shows another one.
    ///   - fields: the values of fields, by their names. Secrets, and what is private, stay in the surface.
    func hostSceneFill(session: String, layer: String, fields: [String: String]) async throws
    /// Returns the fields of a message that are secrets, as the peers have declared that handle it, and the host itself.
    /// - Parameter message: its name, as in a request's header.
    func hostSecretFields(message: String) async throws -> [SecretField]
    /// Opens a link in a session's scene, or in the first scene that prefers it, or else accepts it.
    func hostOpen(link: CBORRaw, session: String?) async throws -> SessionStatus
    /// Moves a session's scene to a worker, or to the worker with the most room.
    func hostMove(session: String, worker: String?) async throws -> SessionStatus
    /// Drains a worker: its scenes move to other workers, and no more scenes are placed on it. If `isDraining` is
    /// `false`, scenes can be placed on the worker again.
    func hostDrain(worker: String, isDraining: Bool) async throws -> WorkerStatus
    /// Ends the process of a worker that the host started. The host then starts it again.
    func hostRestart(worker: String) async throws
    func hostWorkers(after: String?, limit: Int?) async throws -> WorkerList
    func hostWorker(worker: String) async throws -> WorkerStatus
    /// Returns an entry of the container; `nil` when there is none with this key.
    func hostDependency(key: String) async throws -> DependencyStatus?
    /// Returns a page of the container's entries, in the order in which they were last set.
    func hostDependencies(after: DependencyPlace?) async throws -> DependencyPage
    func hostPlugins(after: String?, limit: Int?) async throws -> PluginList
    /// Returns a page of the output of a process that the host started.
    ///
    /// The host keeps the last lines of the current process and of the previous one.
    /// - Parameters:
    ///   - previous: whether to return only the output of the previous process.
    ///   - after: the number of the last known line; `nil` for the first page of one process.
    func hostLogs(instance: String, previous: Bool, after: UInt64?) async throws -> LogPage
    /// Returns a page of what peers have done, and what they were refused, the oldest first.
    /// - Parameter since: the earliest time, in seconds since 1970.
    func hostAudit(since: Double?, after: String?, limit: Int?) async throws -> AuditList
    /// Begins or ends to send the tap over this link: a record of each frame that the host receives or sends. A peer without a key
    /// subscribes to the publisher instead.
    func hostWatch(isOn: Bool) async throws
    /// Hands in the key of a machine that was invited. It takes the place of the invitation's.
    /// - Parameter key: the machine's public key, as 64 hexadecimal digits.
    func hostEnroll(key: String) async throws -> Enrollment
    /// Replaces the key of the machine that asks. The old one stays valid for a while.
    /// - Parameters:
    ///   - key: the machine's new public key, as 64 hexadecimal digits.
    ///   - keep: for how long the old key stays valid, in seconds: up to 30 days.
    func hostRotateKey(key: String, keep: Double) async throws -> KeyRotation
    /// Returns a page of the keys that the host allows.
    func hostKeys(after: String?, limit: Int?) async throws -> KeyPage
    /// Allows a key, or changes what it may do.
    /// - Parameters:
    ///   - invites: for the key of an invitation, the role of the one that takes its place.
    ///   - expires: when it stops being valid, in seconds since 1970; `nil` for never.
    ///   - lasts: the same, in seconds from now, for a sender whose clock may be wrong.
    func hostAllowKey(
        name: String, role: String, key: String, invites: String?, grants: [String], expires: Double?, lasts: Double?,
        comment: String?
    ) async throws -> KeyChange
    /// Removes a key or an invitation.
    /// - Parameter key: its name, or the beginning of the key.
    func hostRevokeKey(key: String) async throws -> KeyChange
    /// Returns those of some grants that match nothing which the host knows now.
    func hostUnmatchedGrants(grants: [String]) async throws -> [String]
}

extension ResponderChain: HostMessages {}
