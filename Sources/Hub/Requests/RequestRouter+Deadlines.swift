import Bus
import Messaging
import ZeroMQ

/// The deadlines of the requests that the router has forwarded, and of those that wait for a handler.
extension RequestRouter {
    func expire() {
        goOn(awaiting.removeExpired(at: .now))
        for (id, forward) in forwards.removeExpired(at: .now) {
            cancel(forward, id: id)
            fail(
                forward.origin, name: forward.name,
                MessageError(.timeout, message: forward.name, mayHaveBeenHandled: true))
        }
        arm()
    }

    func arm() {
        var next = forwards.nextDeadline
        if let end = awaiting.nextEnd { next = min(next ?? end, end) }
        guard let next else { return timer.cancel() }
        timer.set(noLaterThan: next)
    }
}
