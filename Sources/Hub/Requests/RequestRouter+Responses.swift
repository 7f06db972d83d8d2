package import Bus
import CBOR
import Messaging
import MessageHandling

extension RequestRouter {
    /// Handles a reply or failure from a peer.
    func receivedEnd(_ frame: Frame, from link: HubLink) {
        guard let forward = state.forwards.waiter(frame.id), forward.target === link else {
            return hub.count("dropped: late reply")
        }
        _ = state.forwards.remove(frame.id)
        link.traffic.handedOn.remove(frame.id)
        defer { goOnWaiting(for: link) }
        // The reply gets the name of the request, whatever name the peer put into it.
        var frame = frame
        frame.setName(forward.name, forward.nameIndex)
        guard forward.sentCount > 1, let error = frame.messageError else { return finish(forward.origin, with: frame) }
        finish(forward.origin, with: .failure(error.maybeHandled, of: frame.name))
    }

    /// Ends a request with a reply or failure.
    package func finish(_ origin: RequestOrigin, with end: Frame) {
        switch origin {
        case .local(let reply): reply.finish(.success(end))
        case .once(let key): state.ledger?.ended(key, with: end)
        case .peer(let link, let id, let session):
            link.traffic.removeForward(id)
            guard link.isAttached else { return hub.count("dropped: reply to a peer that is gone") }
            var frame = end
            frame.id = id
            frame.session = session
            frame.revision = hub.head
            releaseCreditAndSend(frame.encoded(names: link.names), frame.kind, id, to: link)
        }
    }

    /// Releases the credit of a peer's request, and sends the peer its reply.
    private func releaseCreditAndSend(_ bytes: [UInt8], _ kind: FrameKind, _ id: UInt64, to link: HubLink) {
        var bytes = bytes
        let wasCopy = link.traffic.releaseCredit(of: id)
        if wasCopy, kind == .failure, let end = hub.decoded(bytes[...], for: link), let error = end.messageError {
            // The outcome of a copy says nothing about the earlier requests.
            bytes = end.replaced(by: error.maybeHandled).encoded()
        }
        if hub.sendEnd(bytes, kind, to: link) { return }
        guard let end = hub.decoded(bytes[...], for: link) else { return }
        let error = MessageError(
            .overloaded, message: end.name, detail: "'\(link.name)' does not read what is sent to it",
            mayHaveBeenHandled: true)
        hub.count("failed: overloaded")
        let isSent = hub.sendEnd(end.replaced(by: error).encoded(names: link.names), .failure, to: link)
        if !isSent { hub.count("dropped: reply that found no room") }
    }

    /// Ends a request with the reply of the hub's upstream. A peer's request that the upstream handles is not among the
    /// forwards.
    func finish(_ origin: RequestOrigin, name: String, with end: RequestEnd) {
        switch end {
        case .failure(let error): fail(origin, name: name, error)
        case .reply(let bytes):
            guard case .peer(let link, let id, _) = origin else {
                // It was encoded in this process.
                guard let frame = try? Frame(bytes) else { return }
                return finish(origin, with: frame)
            }
            guard link.isAttached else { return hub.count("dropped: reply to a peer that is gone") }
            releaseCreditAndSend(bytes, .reply, id, to: link)
        }
    }

    /// Ends a request with an error.
    func fail(_ origin: RequestOrigin, name: String, _ error: any Error) {
        if case .local(let reply) = origin { return reply.finish(.failure(error)) }
        if let error = error as? MessageError { hub.count("failed: \(error.code.rawValue)") }
        finish(origin, with: .failure(error, of: name))
    }

    /// Refuses a request that has just arrived. It takes a credit for it, because its end releases one.
    func refuse(_ frame: Frame, of link: HubLink, _ error: MessageError) {
        link.traffic.takeCredit(for: frame)
        fail(.peer(link, id: frame.id, session: frame.session), name: frame.name, error)
    }
}

extension Frame {
    /// The error of the bus or the responder chain in a failure; `nil` in any other frame.
    fileprivate var messageError: MessageError? {
        guard kind == .failure, let failure = try? decodePayload(as: FailureEncoding.self),
            case .message(let error) = failure
        else { return nil }
        return error
    }

    /// Returns a failure with another error for the same request.
    fileprivate func replaced(by error: MessageError) -> Frame {
        var frame = Frame.failure(error, of: name)
        frame.id = id
        frame.session = session
        frame.revision = revision
        return frame
    }

    /// Creates the failure frame for a request.
    package static func failure(_ error: any Error, of name: String) -> Frame {
        var frame = Frame(.failure)
        frame.name = name
        // A failure can always be encoded.
        if let payload = try? CBOREncoder().encode(FailureEncoding(error)) { frame.payload = payload[...] }
        return frame
    }
}
