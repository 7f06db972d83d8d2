package import Bus
import CBOR
import Messaging
import ZeroMQ

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
        return link.texts.names.count
    }

    func end(_ id: UInt64, _ name: String, _ session: String, with end: RequestEnd) {
        link?.end(id, name, of: generation, with: end)
    }

    func end<M: ResponderRequest>(with frame: borrowing Frame, _ reply: M.Reply, to message: M.Type) -> EndInPlace {
        link?.endInPlace(with: frame, reply, to: message, of: generation) ?? .notWritten
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

    /// Sends the host the reply to one of its requests, behind others of this turn.
    fileprivate func endInPlace<M: ResponderRequest>(
        with frame: borrowing Frame, _ reply: M.Reply, to message: M.Type, of generation: UInt64
    ) -> EndInPlace {
        guard generation == self.generation, dealer != nil, outbox.isEmpty,
            sendWindow.hasRoom(for: Frame.roomInPlace), var taken = outgoing.takeLast()
        else { return .notWritten }
        var end = EndInPlace.notWritten
        let isOpen: Bool
        if (try? frame.append(to: &taken.bytes, reply: reply, to: message, names: texts.names.count)) != nil {
            // The reply was written by code of the application, which may even have closed the link.
            isOpen = generation == self.generation && dealer != nil
            // It may also have sent or published something, which must arrive before the reply.
            if isOpen, taken.added <= Frame.roomInPlace, outgoing.isUnchanged(since: taken), outbox.isEmpty {
                sendWindow.sent(taken.added, at: .now)
                end = .ended
            } else {
                end = .encoded(taken.takeAdded())
            }
        } else {
            isOpen = generation == self.generation && dealer != nil
        }
        giveBack(taken, isOpen: isOpen)
        return end
    }
}
