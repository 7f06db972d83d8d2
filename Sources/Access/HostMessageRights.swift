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

    /// What a message demands, and whose sessions it is about.
    private typealias Rule = (right: HostRight, scope: SessionScope)

    /// The rules by the messages' names. A message that is missing is for nobody.
    private static let rules: [String: Rule] = {
        var rules: [String: Rule] = [:]
        func add(_ right: HostRight, _ scope: SessionScope, _ names: String...) {
            for name in names { rules[name] = (right, scope) }
        }
        add(
            .read, .none, Host.hostStatus.name, Host.hostLinks.name, Host.hostSessions.name, Host.hostWorkers.name,
            Host.hostWorker.name, Host.hostDependency.name, Host.hostDependencies.name, Host.hostPlugins.name,
            Host.hostSecretFields.name)
        add(
            .read, .session, Host.hostSession.name, Host.hostSceneContent.name, Host.hostScenePicture.name,
            Host.hostSceneWatch.name, Host.hostSceneImage.name)
        add(
            .act, .session, Host.hostSessionState.name, Host.hostCloseSession.name, Host.hostRetrySession.name,
            Host.hostResetSession.name, Host.hostSceneAct.name, Host.hostScenePerform.name, Host.hostSceneFill.name,
            Host.hostOpen.name, Host.hostMove.name)
        add(.act, .configuration, Host.hostOpenSession.name)
        // What processes print may have secrets in it, and who has done what is for those who act.
        add(.act, .all, Host.hostDrain.name, Host.hostRestart.name, Host.hostLogs.name, Host.hostAudit.name)
        add(
            .keys, .all, Host.hostKeys.name, Host.hostAllowKey.name, Host.hostRevokeKey.name,
            Host.hostUnmatchedGrants.name)
        add(.watch, .none, Host.hostWatch.name)
        add(.enroll, .none, Host.hostEnroll.name)
        add(.rotate, .none, Host.hostRotateKey.name)
        add(.report, .session, SceneReportMessagesList.sceneCheckpoint.name)
        add(.report, .none, SceneReportMessagesList.scenePostsHandled.name)
        return rules
    }()

    /// Returns what a message demands; `nil` for a message that only the host sends.
    package static func right(for message: String) -> HostRight? { rules[message]?.right }

    /// Returns whose sessions a message is about. One that only the host sends is about all.
    package static func scope(of message: String) -> SessionScope { rules[message]?.scope ?? .all }
}
