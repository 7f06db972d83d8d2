import Bus
import Messaging

/// Whose sessions a message of the protocol is about. Keys with the grant `session` may use some sessions only.
package enum SessionScope: Sendable {
    /// Of the session that its parameter `session` names.
    case session
    /// Of a new session, of the configuration that its parameter `configuration` names.
    case configuration
    /// Of none, or the host's reply leaves out those that the sender may not use.
    case none
    /// Of all sessions, or of whatever needs no session.
    case all
}

/// What each message of the protocol demands of a sender with a key.
package enum HostMessageRights {
    private typealias Host = HostMessagesList

    /// The rights by the messages' names. A message that is missing is for nobody.
    private static let rights: [String: HostRight] = {
        let read = [
            Host.hostStatus.name, Host.hostLinks.name, Host.hostSessions.name, Host.hostSession.name,
            Host.hostSceneContent.name, Host.hostWorkers.name, Host.hostWorker.name, Host.hostDependency.name,
            Host.hostDependencies.name, Host.hostPlugins.name,
            Host.hostSecretFields.name,
        ]
        let act = [
            Host.hostOpenSession.name, Host.hostSessionState.name, Host.hostCloseSession.name,
            Host.hostRetrySession.name, Host.hostResetSession.name, Host.hostSceneAct.name, Host.hostOpen.name,
            Host.hostMove.name, Host.hostDrain.name, Host.hostRestart.name,
            // What processes print may have secrets in it.
            Host.hostLogs.name,
            // Who has done what is for those who act.
            Host.hostAudit.name,
        ]
        let keys = [
            Host.hostKeys.name, Host.hostAllowKey.name, Host.hostRevokeKey.name, Host.hostUnmatchedGrants.name,
        ]
        let report = SceneReportMessagesList.messages.map { $0.name }
        var rights: [String: HostRight] = [
            Host.hostEnroll.name: .enroll, Host.hostWatch.name: .watch, Host.hostRotateKey.name: .rotate,
        ]
        for name in read { rights[name] = .read }
        for name in act { rights[name] = .act }
        for name in keys { rights[name] = .keys }
        for name in report { rights[name] = .report }
        return rights
    }()

    /// Returns what a message demands; `nil` for a message that only the host sends.
    package static func right(for message: String) -> HostRight? { rights[message] }

    /// The scopes by the messages' names. A message that is missing is about all sessions.
    private static let scopes: [String: SessionScope] = {
        let session = [
            Host.hostSession.name, Host.hostSessionState.name, Host.hostCloseSession.name, Host.hostRetrySession.name,
            Host.hostResetSession.name, Host.hostSceneContent.name, Host.hostSceneAct.name, Host.hostOpen.name,
            Host.hostMove.name, SceneReportMessagesList.sceneCheckpoint.name,
        ]
        let none = [
            Host.hostStatus.name, Host.hostLinks.name, Host.hostSessions.name, Host.hostWorkers.name,
            Host.hostWorker.name, Host.hostDependency.name, Host.hostDependencies.name, Host.hostPlugins.name,
            Host.hostSecretFields.name, Host.hostWatch.name, Host.hostEnroll.name, Host.hostRotateKey.name,
            SceneReportMessagesList.scenePostsHandled.name,
        ]
        var scopes = [Host.hostOpenSession.name: SessionScope.configuration]
        for name in session { scopes[name] = .session }
        for name in none { scopes[name] = SessionScope.none }
        return scopes
    }()

    /// Returns whose sessions a message is about.
    package static func scope(of message: String) -> SessionScope { scopes[message] ?? .all }
}
