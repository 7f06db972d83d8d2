import Hub
import Messaging

extension Hub {
    /// The link of the peer whose message is being handled; `nil` for one of this process, and if the peer is gone.
    var linkOfSender: HubLink? { MessageContext.current?.remote.flatMap { links[$0.link] } }
}
