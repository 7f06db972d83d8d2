import Bus
import CBOR
import Messaging

extension FuzzTarget {
    /// One part of a message as received from a socket: a frame, with the payload of its kind.
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

    /// Checks that a refusal's reason is true of the input.
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
        try require(holds, "refused for a reason that is not true: \(error)")
    }

    /// Checks that decoding, encoding and decoding again gives the same frame.
    private static func checkSame(_ frame: Frame, _ input: [UInt8]) throws {
        let bytes = frame.encoded()
        try require(bytes == input, "a frame's bytes change when it is encoded again: \(bytes)")
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
        try require(frame.trace.hex.utf8.count == 32, "a trace id does not have 32 digits")

        var stamped = bytes
        Frame.stamp(&stamped, id: ~frame.id, deadline: ~frame.deadline)
        let other = try Frame(stamped)
        try require(other.id == ~frame.id && other.deadline == ~frame.deadline, "a stamped frame has a different stamp")
        Frame.stamp(&stamped, id: frame.id, deadline: frame.deadline)
        Frame.stamp(&stamped, token: ~frame.token)
        try require(try Frame(stamped).token == ~frame.token, "a stamped frame has a different token")
        Frame.stamp(&stamped, token: frame.token)
        try require(stamped == bytes, "a stamp changes other fields")

        for delivery in [frame.delivery, .atMostOnce, .idempotent, .once] {
            var other = frame
            other.delivery = delivery
            try require(other.delivery == delivery, "a frame's delivery cannot be set")
        }
    }
}
