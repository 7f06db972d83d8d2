import Bus
import CBOR
import Messaging

extension FuzzTarget {
    /// One ZeroMQ message as received from a socket: its frames, and the messages and replies in them, which read
    /// themselves.
    static let message = FuzzTarget("message") { input, memory in
        let parts = try divide(input)
        let frames = try read(parts)
        try checkNames(parts, frames)
        try checkSending(frames)
        for frame in frames {
            let payload = Array(frame.payload)
            guard let type = messages[frame.name] else { continue }
            switch (frame.kind, type.kind) {
            case (.request, _), (.post, _): try checkMessage(type, payload, memory)
            case (.reply, .request(let type)): try checkReply(type, payload, memory)
            default: break
            }
        }
    }

    /// Divides a message into frames, and checks that no byte is lost.
    private static func divide(_ message: [UInt8]) throws(Violation) -> [ArraySlice<UInt8>] {
        var received = ReceivedFrames(message)
        var parts: [ArraySlice<UInt8>] = []
        while let part = received.next() {
            try require(!part.isEmpty || message.isEmpty, "a message has an empty part")
            parts.append(part)
        }
        try require(received.isAtEnd, "a message was not read to its end")
        try require((1...OutgoingFrames.maximumFrames).contains(parts.count), "a message has \(parts.count) frames")
        try require(Array(parts.joined()) == message, "the parts of a message are not the message")
        for part in parts.dropLast() {
            try require(length(in: part) == part.count, "\(part.count) bytes are not the frame that they begin with")
        }
        if let last = parts.last, let length = length(in: last), length < last.count {
            try require(
                length < Frame.headerSize || parts.count == OutgoingFrames.maximumFrames
                    || message.count > OutgoingFrames.maximumBatch,
                "a frame of \(length) bytes was not divided from \(last.count) bytes")
        }
        return parts
    }

    /// Returns the length that a frame's header states; `nil` if it is cut short.
    private static func length(in part: ArraySlice<UInt8>) -> Int? {
        guard part.count >= Frame.headerSize else { return nil }
        return part.dropFirst(Frame.lengthOffset).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Decodes frames, and checks that the frames before one make no difference to it.
    /// - Returns: those that can be decoded.
    private static func read(_ parts: [ArraySlice<UInt8>]) throws(Violation) -> [Frame] {
        var frames: [Frame] = []
        var recent = FrameTexts()
        for part in parts + parts {
            do throws(FrameError) {
                let frame = try Frame(part, &recent, names: 0)
                frames.append(frame)
            } catch {
                let other = Result { () throws(FrameError) in try Frame(part) }
                guard case .failure(let other) = other else {
                    throw Violation("a frame cannot be read after others: \(error)")
                }
                try require(other.code == error.code, "a frame is refused as \(error) after others, alone as \(other)")
                continue
            }
            guard let alone = try? Frame(part), let frame = frames.last else {
                throw Violation("a frame can be read only after others")
            }
            try require(
                frame.encoded() == Array(part) && alone.encoded() == Array(part)
                    && frame.isAddressed == alone.isAddressed && frame.isPlain == alone.isPlain,
                "a frame is \(frame.name) after others, and \(alone.name) alone")
        }
        return Array(frames.prefix(frames.count / 2))
    }

    /// Checks that frames are read with a list of names as without, except that an index becomes its name.
    private static func checkNames(_ parts: [ArraySlice<UInt8>], _ frames: [Frame]) throws {
        // Names that frames of the input have, and others.
        var texts = FrameTexts()
        texts.names.add(frames.map(\.name) + Array(messages.keys.sorted().prefix(8)))
        // Some of the names are beyond those of the link.
        let count = texts.names.count / 2
        var rest = frames[...]
        for part in parts {
            let read = Result { () throws(FrameError) in try Frame(part, &texts, names: count) }
            let place = part.count > Frame.headerSize + 1 ? Array(part.dropFirst(Frame.headerSize).prefix(2)) : []
            let hasIndex = place.first == 0xFF && part[part.startIndex + 72] == 2
            if let frame = try? read.get() {
                if hasIndex {
                    let name = texts.names.texts(count).dropFirst(Int(place[1])).first
                    try require(frame.name == name, "the index \(place[1]) is read as \(frame.name)")
                } else {
                    try require(frame.encoded() == Array(part), "a frame with a name is read otherwise with a list")
                    rest = rest.dropFirst()
                }
                let bytes = frame.encoded(names: count)
                try require(bytes == Array(part), "a frame is not encoded as it was received")
                var whole = bytes
                Frame.spellOut(frame.name, in: &whole)
                try require(whole == frame.encoded(), "a name in the place of an index is not the whole frame")
            } else if !hasIndex, let frame = try? Frame(part) {
                throw Violation("\(frame.name) cannot be read with a list of names")
            }
        }
        try require(rest.isEmpty, "\(rest.count) frames are not read with a list of names")
        for frame in frames where texts.names.has(NameIndex(rawValue: 0), for: frame.name) {
            var indexed = frame
            indexed.setName(frame.name, NameIndex(rawValue: 0))
            let read = try Frame(indexed.encoded(names: 1)[...], &texts, names: 1)
            try require(read.encoded() == frame.encoded(), "a frame changes when it has an index in between")
        }
    }

    /// Checks that frames arrive as they were sent, in messages of any size.
    private static func checkSending(_ frames: [Frame]) throws(Violation) {
        let accepted = frames.first.map { Int($0.id % 2048) } ?? 0
        var outgoing = OutgoingFrames(accepted: accepted)
        for frame in frames { outgoing.append(frame.encoded()) }
        var arrived: [ArraySlice<UInt8>] = []
        while let message = outgoing.next() {
            outgoing.removeFirst()
            let parts = try divide(message)
            try require(parts.count == 1 || message.count <= accepted, "a message is larger than the receiver accepts")
            arrived += parts
        }
        try require(arrived.map(Array.init) == frames.map { $0.encoded() }, "frames arrive otherwise than sent")
    }

    // MARK: - Messages

    /// All messages of the protocol, by name.
    private static let messages: [String: any ResponderMessage.Type] = Dictionary(
        uniqueKeysWithValues: (HostMessagesList.messages + SceneMessagesList.messages
            + SceneReportMessagesList.messages).map { ($0.name, $0) })

    /// The messages with fields that can be any item.
    private static let itemCarriers: [any ResponderMessage.Type] = [
        SceneMessagesList.sceneConnect.self, SceneMessagesList.sceneOpen.self,
        SceneReportMessagesList.sceneCheckpoint.self,
        HostMessagesList.hostOpenSession.self, HostMessagesList.hostOpen.self,
    ]

    private static func checkMessage<M: ResponderMessage>(
        _ type: M.Type, _ payload: [UInt8], _ memory: MemoryMeter
    ) throws(Violation) {
        let leavesItToCodable = itemCarriers.contains { $0 == type } && hasSpecialField(payload)
        try roundTripItem(type, from: payload, readsAll: !leavesItToCodable, memory)
    }

    /// Whether a field of a map is null or undefined, or has a tag, which may be around one of them. A message with such an
    /// item does not read itself.
    private static func hasSpecialField(_ payload: [UInt8]) -> Bool {
        guard let fields = try? CBORDecoder().decode([String: CBORRaw].self, from: payload) else { return true }
        return fields.values.contains { item in
            // An item has at least one byte.
            let head = item.bytes[0]
            return head & 0xfe == 0xf6 || head >> 5 == 6
        }
    }

    /// Checks that a reply is read and written as `Codable` does.
    private static func checkReply<M: ResponderRequest>(
        _ type: M.Type, _ payload: [UInt8], _ memory: MemoryMeter
    ) throws {
        let value = try roundTrip(M.Reply.self, from: payload, memory)
        let own = try memory.bounded(payload.count) { try? M.reply(from: payload[...]) }
        guard let value else { return try require(own == nil, "a reply to \(M.name) is read that Codable refuses") }
        let other = try require(own, "a reply to \(M.name) is not read")
        var frame = Frame(.reply, name: M.name)
        let bytes = try CBOREncoder().encode(value)
        try require(try CBOREncoder().encode(other) == bytes, "a reply to \(M.name) is \(value), and read as \(other)")
        frame.payload = bytes[...]
        let expected = frame.encoded()
        frame.payload = []
        try require(
            try frame.encoded(reply: value, to: type, names: 0) == expected,
            "a reply to \(M.name) is written with other bytes")
    }
}
