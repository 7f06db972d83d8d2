import Bus
import Hub
import Messaging

extension Hub {
    /// The link of the peer whose message is being handled; `nil` for one of this process, which may do everything.
    ///
    /// A message of the application whose sender is not attached, or is not known, as that of a post, leads to acts of the
    /// application.
    /// - Throws: ``MessageError`` if the message is one to the host and its sender is gone: nobody knows any more what it may do.
    var linkOfSender: HubLink? {
        get throws {
            guard let context = MessageContext.current, let remote = context.remote else { return nil }
            if let link = links[remote.link] { return link }
            guard ProtocolMessages.contains(context.message) else { return nil }
            // Not as the loss of a peer, after which the host would try again.
            throw MessageError(
                .unauthorized, message: context.message, detail: "the peer that sent it is gone, and nothing was done")
        }
    }
}
