/// A frame that is kept beyond the turn of the loop in which it arrived.
///
/// The payload of a received frame lies in the ZeroMQ message that it came in, which may have many other frames. This
/// type has a copy of the payload, so that it does not keep the whole message.
package struct KeptFrame: Sendable {
    package let frame: Frame

    /// Copies the payload of a frame.
    package init(_ frame: Frame) {
        var copy = frame
        copy.payload = Array(frame.payload)[...]
        self.frame = copy
    }
}
