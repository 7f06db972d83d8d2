package import Bus
package import CBOR
import Messaging
import ZeroMQ
package import MessageHandling

/// Replies and failures: those to the host's requests, and those that end this peer's own.
extension Link {
    private static func error(of frame: Frame, message: String) -> any Error {
        let failure: FailureEncoding
        do {
            failure = try frame.decodePayload(as: FailureEncoding.self)
        } catch {
            return MessageError(
                .malformed, message: message, detail: "its failure cannot be read: \(error)",
                mayHaveBeenHandled: true)
        }
        return failure.error
    }

    func receivedEnd(of frame: Frame) {
        // Callers read their own writes: a caller resumes only when its container has what the handler changed.
        let isEarly = configuration.machine.synchronizes && frame.revision > replica.revision
        if isEarly {
            guard traffic.requests.awaits(frame) else { return dropEndOfNoRequest() }
            if traffic.requests.hold(frame, maximum: Outbox.maximumBytes) { return }
        }
        // No caller waits for a reply that arrives after its deadline.
        guard let request = traffic.requests.remove(frame.id) else { return dropEndOfNoRequest() }
        sendWaiting()
        let error: (any Error)? =
            if isEarly {
                MessageError(
                    .overloaded, message: request.message,
                    detail: "\(Outbox.maximumBytes >> 20) MiB of replies wait for changes of the container",
                    mayHaveBeenHandled: true)
            } else if frame.kind == .failure {
                Self.error(of: frame, message: request.message)
            } else {
                nil
            }
        resumingOnMainLoop { request.caller.finish(error.map { .failure($0) } ?? .success(frame.payload)) }
    }

    private func dropEndOfNoRequest() { drops["end of no request", default: 0] += 1 }

    /// Replies to a request of the host.
    /// - Parameter generation: the ``generation`` of the link over which the request arrived.
    package func reply(to request: Frame, of generation: UInt64, with value: some CBORItem) {
        var frame = Frame(.reply)
        frame.id = request.id
        frame.name = request.name
        do {
            let bytes = try frame.encoded(payload: value)
            try Frame.checkSize(of: bytes.count, .reply, message: request.name)
            end(request.id, request.name, of: generation, with: .reply(bytes))
        } catch {
            fail(request, of: generation, with: error)
        }
    }

    /// Ends a request of the host with a failure.
    package func fail(_ request: Frame, of generation: UInt64, with error: any Error) {
        end(request.id, request.name, of: generation, with: .failure(error))
    }

    /// Ends a request of the host, with a reply or a failure.
    /// - Parameters:
    ///   - id: the request's id.
    ///   - message: the request's name.
    ///   - generation: the ``generation`` of the link over which the request arrived.
    package func end(_ id: UInt64, _ message: String, of generation: UInt64, with end: RequestEnd) {
        // Between two links, the generation is still that of the last one.
        guard generation == self.generation, traffic.dealer != nil else {
            drops["reply to an earlier link", default: 0] += 1
            return
        }
        let failure: any Error
        switch end {
        case .reply(let bytes):
            if sendOrHold(bytes) { return }
            failure = MessageError(
                .overloaded, message: message, detail: "the host does not read what is sent to it",
                mayHaveBeenHandled: true)
        case .failure(let error): failure = error
        }
        var frame = Frame(.failure)
        frame.id = id
        frame.name = message
        // A failure can always be encoded.
        guard let bytes = try? frame.encoded(payload: FailureEncoding(failure)) else { return }
        if !sendOrHold(bytes) { drops["no room: failure", default: 0] += 1 }
    }
}
