/// A responder that runs a session: what climbs through it is sent in the session's name.
///
/// A scene is one.
@MainActor
open class SessionResponder: Responder {
    /// Identifies the session, in every process.
    public nonisolated let sessionIdentifier: String

    public init(sessionIdentifier: String) {
        self.sessionIdentifier = sessionIdentifier
        super.init()
    }
}
