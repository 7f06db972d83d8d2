import ZeroMQ
import Bus
import Messaging

/// Closing the link after a loss or at the end, and the requests that fail with it.
extension Link {
    func close(_ loss: LinkMachine.Loss) {
        flush()
        for message in traffic.dealer?.close() ?? [] { drop(message.bytes, Self.linkLost) }
        subscriber?.close()
        traffic.dealer = nil
        subscriber = nil
        welcome = nil
        countLost(traffic.early.count + traffic.outbox.frameCount)
        traffic.early = MessagesBeforeReady()
        traffic.outbox = Outbox()
        if var message = unfinished.take() { message.readToEnd() }
        for request in traffic.requests.linkLost() { fail(request, detail: loss.description) }
        delegate?.link(self, wasLost: loss)
    }

    /// The reason of drops with a link: what had arrived and was not handled yet, and what was not sent yet.
    static let linkLost = "link lost"

    private func countLost(_ count: Int) {
        if count > 0 { drops[Self.linkLost, default: 0] += count }
    }

    func failAll(detail: String) {
        for request in traffic.requests.removeAll() { fail(request, detail: detail) }
    }

    func fail(_ request: RequestQueue<PendingReply>.Request, detail: String) {
        request.fail(
            MessageError(
                .peerLost, message: request.message, detail: detail, mayHaveBeenHandled: request.mayHaveBeenHandled))
    }
}

extension RequestQueue<PendingReply>.Request {
    /// Ends the request with an error.
    @MainActor func fail(_ error: any Error) { caller.finish(.failure(error)) }
}
