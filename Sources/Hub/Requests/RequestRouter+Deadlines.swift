import Bus
import Messaging
import ZeroMQ

/// The deadlines of the requests that the router has forwarded, and of those that wait for a handler.
extension RequestRouter {
    func expire() {
        goOn(state.awaiting.removeExpired(at: .now))
        for (id, forward) in state.forwards.removeExpired(at: .now) {
            cancel(forward, id: id)
            fail(
                forward.origin, name: forward.name,
                MessageError(.timeout, message: forward.name, mayHaveBeenHandled: true))
        }
        arm()
    }

    func arm() {
        var next = state.forwards.nextDeadline
        if let end = state.awaiting.nextEnd { next = min(next ?? end, end) }
        guard let next else { return timer.cancel() }
        timer.set(noLaterThan: next)
    }
}
