import Messaging

/// Opens and closes the sessions of an application whose scenes run in other processes.
///
/// The host's application has one, and so has each scene worker's: there, the requests go on to the host.
@MainActor
package protocol SessionRunner: AnyObject {
    /// Opens a new session, and waits until its scene runs or it is known why it does not.
    /// - Parameter configuration: The scene configuration; `nil` for the only one.
    func open(_ session: SceneSession, configuration: String?, options: ConnectionOptions) async throws
    /// Shows an open session, and opens links in its scene.
    func activate(_ session: SceneSession, options: ConnectionOptions) async throws
    /// Closes a session permanently.
    func close(_ session: SceneSession) async throws
    /// Opens a link in the session that the host's delegate chooses, else in the first scene that accepts it.
    func open(_ link: DeepLink) async throws
    /// Reports the error of a request that nobody handles.
    func failed(_ request: String, _ session: SceneSession?, _ error: any Error)
}
