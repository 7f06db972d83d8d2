package import Messaging

extension Frame {
    /// The largest frame that a peer makes: the host, which carries it on, may put longer texts into it.
    package static let maximumMade = maximumSize - 3 * 255

    /// The longest that a request may wait.
    package static let maximumTimeout = Duration.seconds(86_400)

    /// The largest frame of a kind, in bytes.
    package static func maximumSize(of kind: FrameKind) -> Int {
        switch kind {
        case .hello: 1 << 20
        case .welcome, .heartbeat, .tap: 8 << 10
        case .refusal: 16 << 10
        case .goodbye, .cancel, .synchronize, .beacon: 1 << 10
        case .request, .reply, .failure, .post, .snapshot, .delta, .publish: maximumSize
        }
    }

    /// Checks that a frame of a peer can be carried on.
    package static func checkCarried(_ count: Int) throws(FrameError) {
        guard count > maximumMade else { return }
        throw FrameError(.tooLarge, "a frame of \(count) bytes; a peer's has at most \(maximumMade)")
    }

    /// Checks that a frame can be sent: libzmq would take a larger one, and its receiver would cut the connection without a
    /// word.
    /// - Parameters:
    ///   - count: the encoded frame's bytes.
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
