package import CBOR
package import Messaging

/// The requests of the host to a scene worker.
///
/// The frame's header names the session. The parameter repeats the name for the handler.
///
/// The host carries a state (a ``UserActivity``) and a link (a ``DeepLink``) as encoded bytes, which only workers
/// decode. See ``CarriedItem``.
@ResponderMessages
package protocol SceneMessages {
    /// Creates a session's scene.
    /// - Throws: "unreadableState" when this worker cannot decode the state but another one may; "refused" when a link
    ///   cannot be decoded.
    func sceneConnect(
        session: String, role: String, configuration: String, token: UInt64, state: CBORRaw?, links: [CBORRaw]
    ) async throws
    /// Freezes a session's scene once its current work has ended, and returns its state.
    ///
    /// A frozen scene stays in memory, accepts no input and sends nothing.
    func sceneFreeze(session: String) async throws -> CBORRaw?
    /// Resumes a frozen scene under another token.
    func sceneResume(session: String, token: UInt64) async throws
    /// Discards everything that this worker has of a session, unless it is newer than the token.
    func sceneDiscard(session: String, token: UInt64) async throws
    /// Asks a session's scene whether it opens a link that was sent to no session, without changing a screen.
    @Idempotent func sceneAcceptance(session: String, link: CBORRaw) async throws -> SceneAcceptance
    /// Opens a link in a session's scene.
    func sceneOpen(session: String, link: CBORRaw) async throws
    /// Returns what a session's scene shows.
    @Idempotent func sceneContent(session: String) async throws -> ScreenContent
    /// Returns what a session's scene shows, as soon as it differs from the picture that the host has, or after a while
    /// without a change.
    /// - Parameter known: the number of the host's picture; `nil` for none.
    func sceneWatch(session: String, known: UInt64?) async throws -> SceneUpdate
    /// Returns the bytes of an image that a session's scene shows, or has shown shortly before.
    /// - Parameter hash: their SHA-256, as in the image's block.
    /// - Throws: "refused" when there is none with this hash.
    @Idempotent func sceneImage(session: String, hash: String) async throws -> CBORBytes
    /// Performs an action of the shown content, as a user would.
    /// - Parameters:
    ///   - layer: the key of the layer in which it was performed; `nil` for whichever the scene shows.
    ///   - content: `false` for an empty content in the reply instead of what the scene shows then, which takes longer to write than
    ///     most actions. `nil` is true; workers of earlier builds do not look at it.
    /// - Throws: "refused" when the scene shows another layer.
    func sceneAct(
        session: String, layer: String?, action: String, fields: ActionFields, content: Bool?
    ) async throws -> ScreenContent
    /// Stores what a person has typed and not sent yet. What no field takes is left out: it may be half of a number.
    /// - Parameter layer: the key of the layer in which it was typed.
    /// - Throws: "refused" when the scene shows another layer, and when a text is too long.
    func sceneFill(session: String, layer: String, fields: [String: String]) async throws
}

/// What a scene worker reports to the host, and asks it.
@ResponderMessages
package protocol SceneReportMessages {
    /// Reports the state from which the session's next scene will start.
    func sceneCheckpoint(session: String, state: CBORRaw)
    /// Returns when posts are handled that the worker has sent before. The host sends it on to the peers that handle them,
    /// which return when they have handled the frames before it.
    /// - Parameter messages: the names of the posts; see ``ProtocolMessages/maximumPosts``.
    func scenePostsHandled(messages: [String]) async throws
}

extension ResponderChain: SceneMessages, SceneReportMessages {}
