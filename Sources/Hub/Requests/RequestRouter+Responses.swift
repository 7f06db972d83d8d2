package import Bus
import CBOR
import Messaging

extension RequestRouter {
    /// Handles a reply or failure from a peer.
    func ended(_ frame: Frame, from link: HubLink) {
        guard let forward = forwards.waiter(frame.id), forward.target === link else {
            return hub.count("dropped: late reply")
        }
        _ = forwards.remove(frame.id)
        link.handedOn.remove(frame.id)
        defer { goOnWaiting(for: link) }
        // The reply gets the name of the request, whatever name the peer put into it.
        var frame = frame
        frame.name = forward.name
        guard forward.sentCount > 1, let error = frame.messageError else { return finish(forward.origin, with: frame) }
        finish(forward.origin, with: .failure(error.maybeHandled, of: frame.name))
    }

    /// Ends a request with a reply or failure.
    package func finish(_ origin: Origin, with end: Frame) {
        switch origin {
        case .local(let continuation): continuation.resume(returning: end)
        case .once(let key): ledger?.ended(key, with: end)
        case .peer(let link, let id, let session):
            if !link.forwards.isEmpty { link.forwards[id] = nil }
            guard link.isAttached else { return hub.count("dropped: reply to a peer that is gone") }
            var frame = end
            frame.id = id
            frame.session = session
            frame.revision = hub.head
            send(frame.encoded(), of: frame, to: link)
        }
    }

    /// Sends a peer the reply to its request.
    private func send(_ bytes: [UInt8], of end: Frame, to link: HubLink) {
        var (bytes, end) = (bytes, end)
        if link.ended(end.id), let error = end.messageError {
            // The outcome of a copy says nothing about the earlier requests.
            end = end.replaced(by: error.maybeHandled)
            bytes = end.encoded()
        }
        guard !hub.sendEnd(bytes, of: end, to: link) else { return }
        let error = MessageError(
            .overloaded, message: end.name, detail: "'\(link.name)' does not read what is sent to it",
            mayHaveBeenHandled: true)
        hub.count("failed: overloaded")
        hub.send(end.replaced(by: error), to: link)
    }

    /// Ends a request with the reply of the hub's upstream.
    func finish(_ origin: Origin, name: String, with reply: HubReply) {
        do {
            let value: any CBORItem
            switch reply {
            case .value(let reply): value = reply
            case .failure(let error): throw error
            case .frame(var frame):
                frame.name = name
                return finish(origin, with: frame)
            }
            var frame = Frame(.reply)
            frame.name = name
            guard case .peer(let link, let id, let session) = origin else {
                frame.payload = try CBOREncoder().encode(value)[...]
                try Frame.checkSize(of: Frame.headerSize + frame.payload.count, .reply, message: name)
                return finish(origin, with: frame)
            }
            guard link.isAttached else { return hub.count("dropped: reply to a peer that is gone") }
            // Most requests end here, so the value is encoded directly into the frame.
            frame.id = id
            frame.session = session
            frame.revision = hub.head
            let bytes = try frame.encoded(payload: value)
            try Frame.checkSize(of: bytes.count, .reply, message: name)
            send(bytes, of: frame, to: link)
        } catch {
            fail(origin, name: name, error)
        }
    }

    /// Ends a request with an error.
    func fail(_ origin: Origin, name: String, _ error: any Error) {
        if case .local(let continuation) = origin { return continuation.resume(throwing: error) }
        if let error = error as? MessageError { hub.count("failed: \(error.code.rawValue)") }
        finish(origin, with: .failure(error, of: name))
    }

    /// Refuses a request.
    func refuse(_ frame: Frame, of link: HubLink, _ error: MessageError) {
        link.takeCredit(for: frame)
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
