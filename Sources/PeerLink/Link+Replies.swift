import Bus
import Messaging
import ZeroMQ

/// Replies and failures, which end this peer's requests.
extension Link {
    private static func error(of frame: Frame, message: String) -> any Error {
        let failure: Failure
        do {
            failure = try frame.decodePayload(as: Failure.self)
        } catch {
            return MessageError(
                .malformed, message: message, detail: "its failure cannot be read: \(error)",
                mayHaveBeenHandled: true)
        }
        return failure.error
    }

    func receivedEnd(of frame: Frame) {
        // Callers read their own writes: a caller resumes only when its container has what the handler changed.
        if configuration.machine.synchronizes, frame.revision > replica.revision {
            if !requests.hold(frame) { drops["end of no request", default: 0] += 1 }
            return
        }
        // No caller waits for a reply that arrives after its deadline.
        guard let request = requests.remove(frame.id) else { return }
        sendWaiting()
        var result = Result<ArraySlice<UInt8>, any Error>.success(frame.payload)
        if frame.kind == .failure {
            result = .failure(Self.error(of: frame, message: request.message))
        }
        resumingOnMainLoop { request.caller.resume(with: result) }
    }
}
