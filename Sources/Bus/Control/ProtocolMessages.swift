import Messaging

/// The messages that the protocol itself defines. No peer may handle them for others.
package enum ProtocolMessages {
    /// The names of these messages.
    package static let names: Set<String> = {
        let lists: [any ResponderMessageList.Type] = [
            HostMessagesList.self, SceneMessagesList.self, SceneReportMessagesList.self,
        ]
        return Set(lists.flatMap { $0.messages.map { $0.name } })
    }()

    /// Whether a message is one of these. How its name begins tells nearly all others, and takes a twentieth of the time that
    /// it takes to look for the name.
    package static func contains(_ name: String) -> Bool { mayContain(name) && names.contains(name) }

    /// Whether a name begins like those of these messages.
    static func mayContain(_ name: String) -> Bool {
        switch name.utf8.first {
        case UInt8(ascii: "h"): name.hasPrefix("host")
        case UInt8(ascii: "s"): name.hasPrefix("scene")
        default: false
        }
    }

    /// Whether a name is like those of the requests to the host, also of a later version: `host`, and a capital letter.
    package static func isNamedAsOfHost(_ name: String) -> Bool {
        name.hasPrefix("host") && name.dropFirst(4).first?.isUppercase == true
    }

    /// Whether the host keeps a record of a message, if it is to be delivered once. Of its other messages it keeps none.
    package static func isRecorded(_ name: String) -> Bool { recorded.contains(name) }

    private static let recorded = Set(HostMessagesList.messages.filter { $0.delivery == .once }.map { $0.name })

    /// The largest payload of a request that only the host reads, in bytes.
    package static let maximumHostRequest = 1 << 20

    /// Requests whose payload only the host reads.
    ///
    /// Such a payload consists of names and places and is never long, so a larger one is rejected without decoding it.
    /// Requests that carry a link or fields on to a scene are not included; they may be as long as a frame.
    package static let hostRequests: Set<String> = {
        let carrying: Set = [
            HostMessagesList.hostOpen.name, HostMessagesList.hostOpenSession.name, HostMessagesList.hostSceneAct.name,
            HostMessagesList.hostScenePerform.name, HostMessagesList.hostSceneFill.name,
        ]
        return Set(HostMessagesList.messages.map { $0.name }).subtracting(carrying)
            .union([SceneReportMessagesList.scenePostsHandled.name])
    }()

    /// How many names `scenePostsHandled` has at most. Further ones are ignored.
    package static let maximumPosts = 64

    /// How long a worker and the host wait for `scenePostsHandled`. The user waits as long for the reply to an action
    /// while a peer hangs.
    package static let postsLimit = Duration.seconds(2)
}
