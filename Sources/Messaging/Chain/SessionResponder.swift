/// A responder that runs a session, such as a scene. A message that passes it is sent in the session's name.
@MainActor
open class SessionResponder: Responder {
    /// The session's identifier, which is the same in every process.
    public nonisolated let sessionIdentifier: String

    public init(sessionIdentifier: String) {
        self.sessionIdentifier = sessionIdentifier
        super.init()
    }

    override final var asSession: SessionResponder? { self }
}
