package import Bus
import CBOR
import Messaging

extension RequestRouter {
    /// A reply or failure of a peer.
    func ended(_ frame: Frame, from link: HubLink) {
        guard let forward = forwards.waiter(frame.id), forward.target === link else {
            return hub.count("dropped: late reply")
        }
        _ = forwards.remove(frame.id)
        link.handedOn.remove(frame.id)
        defer { goOnWaiting(for: link) }
        // The end of what was asked, whatever who answers calls it.
        var frame = frame
        frame.name = forward.name
        guard forward.sentCount > 1, let error = frame.messageError else { return finish(forward.origin, with: frame) }
        finish(forward.origin, with: .failure(error.maybeHandled, of: frame.name))
    }

    /// A request has ended in this frame, a reply or a failure.
    package func finish(_ origin: Origin, with end: Frame) {
        switch origin {
        case .local(let continuation): continuation.resume(returning: end)
        case .once(let key): hub.ledger?.ended(key, with: end)
        case .peer(let link, let id, let session):
            if !link.forwards.isEmpty { link.forwards[id] = nil }
            guard hub.links[link.id] != nil else { return hub.count("dropped: reply to a peer that is gone") }
            var frame = end
            frame.id = id
            frame.session = session
            frame.revision = hub.head
            send(frame.encoded(), of: frame, to: link)
        }
    }

    /// Sends a peer the end of its request.
    private func send(_ bytes: [UInt8], of end: Frame, to link: HubLink) {
        var (bytes, end) = (bytes, end)
        if link.ended(end.id), let error = end.messageError {
            // What is said of a copy is not true of those before.
            end = end.replaced(by: error.maybeHandled)
            bytes = end.encoded()
        }
        guard !hub.sendEnd(bytes, of: end, to: link) else { return }
        let error = MessageError(
            .overloaded, message: end.name, detail: "'\(link.name)' does not read what is on its way to it",
            mayHaveBeenHandled: true)
        hub.count("failed: overloaded")
        hub.send(end.replaced(by: error), to: link)
    }

    /// The hub's upstream has replied.
    func finish(_ origin: Origin, name: String, with reply: HubReply) {
        do {
            let value: any Encodable
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
            guard hub.links[link.id] != nil else { return hub.count("dropped: reply to a peer that is gone") }
            // Encoded in place: most requests end here.
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

    /// A request ends without a reply.
    func fail(_ origin: Origin, name: String, _ error: any Error) {
        if case .local(let continuation) = origin { return continuation.resume(throwing: error) }
        if let error = error as? MessageError { hub.count("failed: \(error.code.rawValue)") }
        finish(origin, with: .failure(error, of: name))
    }

    /// A request is not taken.
    func refuse(_ frame: Frame, of link: HubLink, _ error: MessageError) {
        link.takeCredit(for: frame)
        fail(.peer(link, id: frame.id, session: frame.session), name: frame.name, error)
    }
}

extension Frame {
    /// What the bus or the chain says in a failure; `nil` in another frame.
    fileprivate var messageError: MessageError? {
        guard kind == .failure, let failure = try? decodePayload(as: Failure.self), case .message(let error) = failure
        else { return nil }
        return error
    }

    /// The same end, but for what it says.
    fileprivate func replaced(by error: MessageError) -> Frame {
        var frame = Frame.failure(error, of: name)
        frame.id = id
        frame.session = session
        frame.revision = revision
        return frame
    }

    /// The end of a request without a reply.
    package static func failure(_ error: any Error, of name: String) -> Frame {
        var frame = Frame(.failure)
        frame.name = name
        // A failure's types always encode.
        if let payload = try? CBOREncoder().encode(Failure(error)) { frame.payload = payload[...] }
        return frame
    }
}
