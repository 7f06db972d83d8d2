import Bus
import CBOR
import Messaging
import ZeroMQ
package import MessageHandling

/// The host as the sender of the requests that have arrived on one connection.
@MainActor
final class LinkRequestSender: RequestSender {
    private weak var link: Link?
    /// The ``Link/generation`` of the connection.
    let generation: UInt64

    init(_ link: Link) {
        self.link = link
        generation = link.generation
    }

    var names: Int {
        guard let link, generation == link.generation else { return 0 }
        return link.traffic.texts.names.count
    }

    func end(_ id: UInt64, _ name: String, with end: RequestEnd) {
        link?.end(id, name, of: generation, with: end)
    }
}

extension Link {
    /// The sender of the requests that arrive on this connection.
    package var requestSender: any RequestSender {
        if let lastSender, lastSender.generation == generation { return lastSender }
        let sender = LinkRequestSender(self)
        lastSender = sender
        return sender
    }
}
