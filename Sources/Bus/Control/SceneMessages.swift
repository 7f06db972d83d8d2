package import CBOR
package import Messaging

/// What the host asks of a scene worker. The session stands in the frame's header, and here for the handler.
///
/// The host carries a state (a ``UserActivity``) and a link (a ``DeepLink``) as the bytes that they are: only workers read them. See
/// ``CarriedItem``.
@ResponderMessages
package protocol SceneMessages {
    /// Gives a session its scene.
    /// - Throws: "unreadableState" when this worker cannot read the state, and another may; "refused" for a link that cannot be read.
    func sceneConnect(
        session: String, role: String, configuration: String, token: UInt64, state: CBORRaw?, links: [CBORRaw]
    ) async throws
    /// Lets a session's scene stand still, once what it does has ended: no input is taken, nothing is sent, it is kept in memory.
    /// Its state comes back.
    func sceneFreeze(session: String) async throws -> CBORRaw?
    /// Lets a scene go on that stands still, under another token.
    func sceneResume(session: String, token: UInt64) async throws
    /// Ends what this worker has of a session, unless it is newer than the token.
    func sceneDiscard(session: String, token: UInt64) async throws
    /// Shows a link in a session's scene.
    func sceneOpen(session: String, link: CBORRaw) async throws
    /// What a session's scene shows.
    @Idempotent func sceneContent(session: String) async throws -> ScreenContent
    /// Does what a user would: runs an action of what is shown.
    func sceneAct(session: String, action: String, fields: [String: String]) async throws -> ScreenContent
}

/// What a scene worker tells the host.
@ResponderMessages
package protocol SceneReportMessages {
    /// The state from which the session's next scene will start.
    func sceneCheckpoint(session: String, state: CBORRaw)
}

extension ResponderChain: SceneMessages, SceneReportMessages {}
