package import Messaging

extension Frame {
    /// The maximum size of a frame that a peer creates, in bytes. It leaves room for the host, which may put longer
    /// texts into a frame that it carries on.
    package static let maximumMade = maximumSize - 4 * 255 - 1

    /// The longest time that a request may wait.
    package static let maximumTimeout = Duration.seconds(86_400)

    /// Returns the maximum size of a frame of a kind, in bytes.
    package static func maximumSize(of kind: FrameKind) -> Int {
        switch kind {
        case .hello: 1 << 20
        case .welcome, .heartbeat, .tap: 8 << 10
        case .refusal: 16 << 10
        case .goodbye, .cancel, .synchronize, .beacon: 1 << 10
        case .request, .reply, .failure, .post, .snapshot, .delta, .publish: maximumSize
        }
    }

    /// Checks that the host can carry on a frame from a peer.
    package static func checkCarried(_ count: Int) throws(FrameError) {
        guard count > maximumMade else { return }
        throw FrameError(.tooLarge, "a frame of \(count) bytes; a peer's frame may have at most \(maximumMade)")
    }

    /// Checks that a frame can be sent. libzmq would accept a larger one, but its receiver would close the connection
    /// without any error message.
    /// - Parameters:
    ///   - count: the size of the encoded frame, in bytes.
    ///   - message: the message's name.
    /// - Throws: ``MessageError`` that names the message, its size and the limit.
    package static func checkSize(of count: Int, _ kind: FrameKind, message: String) throws(MessageError) {
        guard count > maximumMade else { return }
        throw MessageError(
            .malformed, message: message,
            detail: "its \(kind.name) has \(count) bytes; a message may have at most \(maximumMade)",
            mayHaveBeenHandled: kind == .reply)
    }
}
