import Bus
import Hub
import Messaging

/// Peers that watch the traffic over their links.
extension HostControl {
    func hostWatch(isOn: Bool) async throws {
        if let link = MessageContext.current?.remote?.link { hub.watch(link, isOn: isOn) }
    }
}
