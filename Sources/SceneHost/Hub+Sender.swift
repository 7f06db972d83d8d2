import Hub
import Messaging

extension Hub {
    /// The link of the peer whose message is being handled; `nil` for one of this process, which may do everything.
    /// - Throws: ``MessageError`` if the peer is gone: nobody knows any more what it may do.
    var linkOfSender: HubLink? {
        get throws {
            guard let context = MessageContext.current, let remote = context.remote else { return nil }
            guard let link = links[remote.link] else {
                throw MessageError(
                    .peerLost, message: context.message, detail: "the peer that sent it is gone, and nothing was done")
            }
            return link
        }
    }
}
