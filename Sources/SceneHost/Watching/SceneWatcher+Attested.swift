import Access
import Bus
import Messaging
import SceneContent

extension SceneWatcher {
    /// What others are told of one whom a peer names: a user only where the peer may act for that user, and the name of the
    /// peer's key otherwise.
    /// - Parameters:
    ///   - actor: the peer; `nil` for this process.
    ///   - access: what the peer may do; `nil` for one of the host's user on this machine, and for this process.
    init(_ said: SceneWatcher, at actor: MessageActor?, _ access: PeerAccess?) {
        let user = said.name.flatMap { name in
            let message = HostMessagesList.hostSceneWatch.name
            return MessageActor.problem(withUser: name) == nil
                && access?.refusal(ofActingFor: name, with: message) == nil ? name : nil
        }
        let surface = said.surface.printable.cut(toBytes: Self.maximumSurface)
        self.init(
            surface: surface.isEmpty ? actor?.role.rawValue ?? "host" : surface, name: user ?? actor?.user ?? actor?.key
        )
    }
}
