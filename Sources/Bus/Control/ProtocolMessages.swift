import Messaging

/// The messages that the protocol itself defines: no peer handles them for others.
package enum ProtocolMessages {
    /// Their names.
    package static let names: Set<String> = {
        let lists: [any ResponderMessageList.Type] = [
            HostMessagesList.self, SceneMessagesList.self, SceneReportMessagesList.self,
        ]
        return Set(lists.flatMap { $0.messages.map { $0.name } })
    }()

    /// The largest payload of a request that is for the host alone, in bytes.
    package static let maximumHostRequest = 1 << 20

    /// Requests whose payload is for the host alone: names and places, never long. It is not decoded to learn that it is wrong. What
    /// carries a link or fields on to a scene may be as long as a frame.
    package static let hostRequests: Set<String> = {
        let carrying: Set = [
            HostMessagesList.hostOpen.name, HostMessagesList.hostOpenSession.name, HostMessagesList.hostSceneAct.name,
        ]
        return Set(HostMessagesList.messages.map { $0.name }).subtracting(carrying)
    }()
}
