import Bus
import Messaging

/// The end of requests for whose reply nobody waits any more.
extension RequestRouter {
    /// Cancels a request, because the peer that sent it no longer waits.
    func cancel(_ frame: Frame, from link: HubLink) {
        state.upstream?.cancel(frame.id, of: link.id)
        if let id = link.traffic.removeForward(frame.id), let forward = state.forwards.remove(id) {
            link.traffic.releaseCredit(of: frame.id)
            cancel(forward, id: id)
        }
        if let id = link.traffic.removeAwaiting(frame.id), let request = state.awaiting.remove(id) {
            fail(
                .peer(link, id: frame.id, session: request.frame.session), name: request.frame.name,
                MessageError(.timeout, message: request.frame.name, detail: "its sender has left"))
        }
        state.ledger?.cancel(frame.id, from: link)
    }

    /// Cancels the handler of a request on record, because its sender no longer waits, and ends the request.
    package func cancelForward(_ id: UInt64) {
        guard let forward = state.forwards.remove(id) else { return }
        cancel(forward, id: id)
        let error = MessageError(
            .timeout, message: forward.name, detail: "its sender has left", mayHaveBeenHandled: true)
        fail(forward.origin, name: forward.name, error)
    }

    /// Cancels a request of this process, because its caller no longer waits.
    func cancel(_ id: UInt64) {
        guard let forward = state.forwards.remove(id) else { return }
        cancel(forward, id: id)
        if case .local(let reply) = forward.origin { reply.finish(.failure(CancellationError())) }
    }

    func cancel(_ forward: Forward, id: UInt64) {
        state.orphans.remove(id)
        guard let target = forward.target else { return }
        target.traffic.handedOn.remove(id)
        var frame = Frame(.cancel)
        frame.id = id
        hub.send(frame, to: target)
    }
}
