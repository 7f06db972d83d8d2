import Bus
import Hub
import Messaging

/// Peers that watch the traffic over their links.
extension HostControl {
    func hostWatch(isOn: Bool) async throws {
        guard let link = MessageContext.current?.remote?.link, hub.links[link] != nil else { return }
        hub.watch(link, isOn: isOn)
    }
}
