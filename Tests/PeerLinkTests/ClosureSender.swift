import Bus
import Messaging

@testable import PeerLink

/// A sender of requests that passes how they end to a closure.
@MainActor
final class ClosureSender: RequestSender {
    let names = 0
    private let received: (RequestEnd) -> Void

    init(_ received: @escaping (RequestEnd) -> Void) { self.received = received }

    func end(_ id: UInt64, _ name: String, with end: RequestEnd) { received(end) }
}

extension MessageReceiver {
    func receive(
        _ frame: Frame, link: UInt64 = 0, at start: Responder?, timeLeft: Duration?,
        reply: @escaping (RequestEnd) -> Void
    ) {
        receive(frame, link: link, at: start, timeLeft: timeLeft, from: ClosureSender(reply))
    }
}
