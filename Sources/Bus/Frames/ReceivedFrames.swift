// Hot path: it runs for each request. See "Hot paths" in Contributing.

/// The frames in a received ZeroMQ message, one after the other.
///
/// The frames are read in place. See ``KeptFrame`` for those that are kept.
package struct ReceivedFrames {
    private let message: [UInt8]
    private var offset = 0
    private var count = 0

    package init(_ message: [UInt8]) {
        self.message = message
    }

    /// Whether there are no more frames.
    package var isAtEnd: Bool { offset >= message.count && offset > 0 }

    /// Returns the bytes of the next frame; `nil` at the end of the message.
    ///
    /// The bytes that remain are returned as one frame if they do not begin with a whole one, or if the message is too
    /// large for several frames or has too many. Its decoding then tells what is wrong with it.
    package mutating func next() -> ArraySlice<UInt8>? {
        guard offset < message.count else { return offset == 0 && message.isEmpty ? end([]) : nil }
        count += 1
        guard count < OutgoingFrames.maximumFrames, let length = lengthOfNext, offset + length < message.count else {
            return end(message[offset...])
        }
        defer { offset += length }
        return message[offset..<offset + length]
    }

    private mutating func end(_ frame: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        offset = max(1, message.count)
        return frame
    }

    /// The length that the next frame's header states, if it is a possible one.
    private var lengthOfNext: Int? {
        guard message.count <= OutgoingFrames.maximumBatch, message.count - offset >= Frame.headerSize else {
            return nil
        }
        // A whole header has arrived, and the length is part of it.
        let length = message.withUnsafeBytes {
            UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: offset + Frame.lengthOffset, as: UInt32.self))
        }
        return length >= Frame.headerSize ? Int(length) : nil
    }
}
