import Bus
import CBOR
import Messaging

extension FuzzTarget {
    /// One part of a message, as it comes from a socket: a frame, and the payload that its kind has.
    static let frame = FuzzTarget("frame") { input, memory in
        let frame: Frame
        do {
            frame = try memory.bounded(input.count) { try Frame(input) }
        } catch let error as FrameError {
            return try checkRefusal(error, of: input)
        }
        try checkSame(frame, input)
        for payload in PayloadKind.of(frame.kind) { try payload.check(Array(frame.payload), memory) }
    }

    /// A refused input is not a frame for the reason that is told.
    private static func checkRefusal(_ error: FrameError, of input: [UInt8]) throws(Violation) {
        let holds =
            switch error.code {
            case .tooShort: input.count < Frame.headerSize
            case .notOurs: input[0] != Frame.magic
            case .otherVersion: input[1] != Frame.version
            case .unknownKind: FrameKind(rawValue: input[2]) == nil
            case .tooLarge: FrameKind(rawValue: input[2]).map { input.count > Frame.maximumSize(of: $0) } ?? true
            case .wrongLength, .badText: input.count >= Frame.headerSize
            case .badPayload: false
            }
        try require(holds, "refused for another reason than its own: \(error)")
    }

    /// A frame that is read, written and read again is the same.
    private static func checkSame(_ frame: Frame, _ input: [UInt8]) throws {
        let bytes = frame.encoded()
        try require(bytes == input, "a frame has other bytes when it is written again: \(bytes)")
        let again = try Frame(bytes)
        try require(again.kind == frame.kind && again.flags == frame.flags, "the kind or the flags changed")
        try require(again.id == frame.id && again.parent == frame.parent, "the id or the parent changed")
        try require(again.deadline == frame.deadline && again.token == frame.token, "the deadline or token changed")
        try require(again.revision == frame.revision && again.trace == frame.trace, "the revision or trace changed")
        try require(
            again.name == frame.name && again.session == frame.session && again.sender == frame.sender,
            "a text changed")
        try require(
            again.messageID == frame.messageID && again.payload == frame.payload, "the payload or its id changed")
        try require(frame.trace.hex.utf8.count == 32, "a trace id is not written in 32 digits")

        var stamped = bytes
        Frame.stamp(&stamped, id: ~frame.id, deadline: ~frame.deadline)
        let other = try Frame(stamped)
        try require(other.id == ~frame.id && other.deadline == ~frame.deadline, "a stamped frame has another stamp")
        Frame.stamp(&stamped, id: frame.id, deadline: frame.deadline)
        Frame.stamp(&stamped, token: ~frame.token)
        try require(try Frame(stamped).token == ~frame.token, "a stamped frame has another token")
        Frame.stamp(&stamped, token: frame.token)
        try require(stamped == bytes, "a stamp changes more than it says")

        for delivery in [frame.delivery, .atMostOnce, .idempotent, .once] {
            var other = frame
            other.delivery = delivery
            try require(other.delivery == delivery, "a frame's delivery cannot be set")
        }
    }
}
