package import Bus
package import MessageHandling
package import Messaging

/// A sender of requests that passes how they end to a closure.
@MainActor
package final class ClosureSender: RequestSender {
    package let names = 0
    private let received: (RequestEnd) -> Void

    package init(_ received: @escaping (RequestEnd) -> Void) { self.received = received }

    package func end(_ id: UInt64, _ name: String, with end: RequestEnd) { received(end) }
}

extension MessageReceiver {
    package func receive(
        _ frame: Frame, link: UInt64 = 0, at start: Responder?, timeLeft: Duration?,
        reply: @escaping (RequestEnd) -> Void
    ) {
        receive(frame, link: link, at: start, timeLeft: timeLeft, from: ClosureSender(reply))
    }
}
