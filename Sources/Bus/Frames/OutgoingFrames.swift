// Hot path: it runs for each request. See "Hot paths" in Contributing.

import DequeModule

/// The frames that one side has to send to the other in a turn of its loop. They leave as few ZeroMQ messages. It is a
/// value.
///
/// A message costs libzmq and the kernel far more than a frame, so frames that leave together share one. Large frames
/// have a message of their own, because their bytes would have to be copied.
package struct OutgoingFrames {
    /// The largest message of several frames, in bytes. A receiver handles the frames of a message together, so a
    /// large one would delay its other sources.
    package static let maximumBatch = 64 << 10
    /// The largest number of frames in a message. See "Batches" on the protocol page.
    package static let maximumFrames = 128
    /// A frame of this size, in bytes, has a message of its own.
    private static let largeFrame = 8 << 10
    /// The size of a few frames, in bytes.
    private static let fewBytes = 4 << 10

    /// The largest message of several frames that the receiver accepts, in bytes; 0 if it accepts only single frames.
    package let batch: Int
    /// The messages that are complete.
    private var complete = Deque<[UInt8]>()
    /// The frames of the last message.
    private var last: [UInt8] = []
    private var lastFrames = 0

    /// - Parameter accepted: what the receiver has declared; `nil` for nothing.
    package init(accepted: Int? = nil) {
        batch = min(max(0, accepted ?? 0), Self.maximumBatch)
    }

    package var isEmpty: Bool { last.isEmpty && complete.isEmpty }

    /// What is known of a request only when it is sent.
    package typealias Stamp = (id: UInt64, deadline: UInt64)

    /// Adds an encoded frame behind the others.
    /// - Parameter stamp: the id and the deadline to write into it; `nil` if they are there already.
    package mutating func append(_ frame: [UInt8], stamp: Stamp? = nil) {
        let isLarge = frame.count >= Self.largeFrame
        if !last.isEmpty, isLarge || last.count + frame.count > batch || lastFrames == Self.maximumFrames {
            completeLast()
        }
        lastFrames += 1
        let offset = last.count
        if offset == 0 { last = frame } else { join(frame) }
        if let stamp { Frame.stamp(&last, at: offset, id: stamp.id, deadline: stamp.deadline) }
        // Nothing follows a large frame in its message.
        if isLarge { completeLast() }
    }

    private mutating func join(_ frame: [UInt8]) {
        if last.count + frame.count > last.capacity { makeRoom() }
        last.append(contentsOf: frame)
    }

    private mutating func makeRoom() {
        // Most turns have a few frames for a receiver. Once they are more, they are likely to fill the message.
        last.reserveCapacity(last.count < Self.fewBytes ? 2 * Self.fewBytes : batch)
    }

    /// The next message to send; `nil` if none is left.
    package mutating func next() -> [UInt8]? {
        if complete.isEmpty, !last.isEmpty { completeLast() }
        return complete.first
    }

    /// Removes the message that was sent.
    package mutating func removeFirst() { complete.removeFirst() }

    /// Removes and returns all messages that were not sent.
    package mutating func removeAll() -> [[UInt8]] {
        if !last.isEmpty { completeLast() }
        defer { complete = [] }
        return Array(complete)
    }

    private mutating func completeLast() {
        complete.append(last)
        last = []
        lastFrames = 0
    }
}
