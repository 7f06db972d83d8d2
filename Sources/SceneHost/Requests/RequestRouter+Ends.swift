import Bus
import CBOR
import CoordinatorKit

extension RequestRouter {
    /// A reply or failure of a peer.
    func ended(_ frame: Frame, from link: HostLink) {
        guard let forward = forwards.waiter(frame.id), forward.target === link else {
            return server.count("dropped: late reply")
        }
        _ = forwards.remove(frame.id)
        link.pending -= 1
        guard forward.sentCount > 1, frame.kind == .failure, let failure = try? frame.decodePayload(as: Failure.self),
            case .message(let error) = failure
        else {
            return finish(forward.origin, with: frame)
        }
        finish(forward.origin, with: .failure(error.maybeHandled, of: frame.name))
    }

    /// A request has ended in this frame, a reply or a failure.
    func finish(_ origin: Origin, with end: Frame) {
        switch origin {
        case .local(let continuation): continuation.resume(returning: end)
        case .once(let key): once?.ended(key, with: end)
        case .peer(let link, let id, let session):
            if !link.forwards.isEmpty { link.forwards[id] = nil }
            guard server.links[link.id] != nil else { return server.count("dropped: reply to a peer that is gone") }
            var frame = end
            frame.id = id
            frame.session = session
            frame.revision = revision()
            link.inFlight -= 1
            server.send(frame, to: link)
        }
    }

    /// A handler of this process has ended.
    func finish(_ origin: Origin, name: String, with result: Result<any Encodable, any Error>) {
        do {
            let value = try result.get()
            var frame = Frame(.reply)
            frame.name = name
            guard case .peer(let link, let id, let session) = origin else {
                frame.payload = try CBOREncoder().encode(value)[...]
                try Frame.checkSize(of: Frame.headerSize + frame.payload.count, .reply, message: name)
                return finish(origin, with: frame)
            }
            guard server.links[link.id] != nil else { return server.count("dropped: reply to a peer that is gone") }
            // Encoded in place: most requests end here.
            frame.id = id
            frame.session = session
            frame.revision = revision()
            let bytes = try frame.encoded(payload: value)
            try Frame.checkSize(of: bytes.count, .reply, message: name)
            link.inFlight -= 1
            server.send(bytes, of: frame, to: link)
        } catch {
            fail(origin, name: name, error)
        }
    }

    /// A request ends without a reply.
    func fail(_ origin: Origin, name: String, _ error: any Error) {
        if case .local(let continuation) = origin { return continuation.resume(throwing: error) }
        if let error = error as? MessageError { server.count("failed: \(error.code.rawValue)") }
        finish(origin, with: .failure(error, of: name))
    }

    /// A request speaks for a session that lives elsewhere by now.
    func refuseStale(_ frame: Frame, of link: HostLink) {
        refuse(
            frame, of: link,
            MessageError(
                .unauthorized, message: frame.name, detail: "session '\(frame.session)' lives elsewhere by now"))
    }

    /// A request is not taken.
    func refuse(_ frame: Frame, of link: HostLink, _ error: MessageError) {
        link.inFlight += 1
        fail(.peer(link, id: frame.id, session: frame.session), name: frame.name, error)
    }
}

extension Frame {
    /// The end of a request without a reply.
    static func failure(_ error: any Error, of name: String) -> Frame {
        var frame = Frame(.failure)
        frame.name = name
        // A failure's types always encode.
        if let payload = try? CBOREncoder().encode(Failure(error)) { frame.payload = payload[...] }
        return frame
    }
}
