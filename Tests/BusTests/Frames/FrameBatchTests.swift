import CBOR
import Testing

@testable import Bus

/// Several frames in one message.
@Suite(.timeLimit(.minutes(5)))
struct FrameBatchTests {
    private func frame(_ id: UInt64, payload: Int = 10) -> [UInt8] {
        var frame = Frame(.request)
        frame.id = id
        frame.payload = [UInt8](repeating: 0, count: payload)[...]
        return frame.encoded()
    }

    private func messages(of frames: [[UInt8]], accepted: Int? = OutgoingFrames.maximumBatch) -> [[UInt8]] {
        var outgoing = OutgoingFrames(accepted: accepted)
        for frame in frames { outgoing.append(frame) }
        var messages: [[UInt8]] = []
        while let message = outgoing.next() {
            messages.append(message)
            outgoing.removeFirst()
        }
        #expect(outgoing.isEmpty)
        return messages
    }

    private func frames(in message: [UInt8]) -> [[UInt8]] {
        var received = ReceivedFrames(message)
        var frames: [[UInt8]] = []
        while let frame = received.next() { frames.append(Array(frame)) }
        return frames
    }

    @Test func `Frames leave as one message, and are received one by one in their order`() {
        let sent = (1...100).map { frame($0, payload: Int($0)) }
        let messages = messages(of: sent)
        #expect(messages.count == 1)
        #expect(messages.flatMap(frames(in:)) == sent)
    }

    @Test func `A message has at most 128 frames, and what follows is refused`() {
        let sent = (1...300).map { frame($0) }
        let messages = messages(of: sent)
        #expect(messages.map { frames(in: $0).count } == [128, 128, 44])
        let many = frames(in: Array(sent.prefix(130).joined()))
        #expect(many.count == 128)
        #expect(many.prefix(127) == sent.prefix(127))
        #expect(throws: FrameError.self) { try Frame(many[127]) }
    }

    @Test func `A lone frame leaves as it is`() {
        #expect(messages(of: [frame(1)]) == [frame(1)])
        #expect(frames(in: frame(1)) == [frame(1)])
    }

    @Test func `A message of several frames has at most 64 KiB, and large frames have messages of their own`() {
        let sent = (1...2000).map { frame($0, payload: $0 % 500 == 0 ? 100_000 : Int($0) % 700) }
        let messages = messages(of: sent)
        #expect(messages.flatMap(frames(in:)) == sent)
        #expect(messages.filter { $0.count > 64 << 10 }.count == 4)
        #expect(messages.count < 25)
        // The largest frame that joins others, and the smallest that does not.
        let join = frame(1, payload: (8 << 10) - Frame.headerSize - 1)
        #expect(self.messages(of: [frame(1), join]).count == 1)
        #expect(self.messages(of: [frame(1), join + [0], frame(2)]).count == 3)
    }

    @Test func `A receiver gets no larger messages of several frames than it accepts`() {
        let sent = (1...10).map { frame($0) }
        let size = sent[0].count
        #expect(messages(of: sent, accepted: nil) == sent)
        #expect(messages(of: sent, accepted: 0) == sent)
        #expect(messages(of: sent, accepted: -1) == sent)
        #expect(messages(of: sent, accepted: 2 * size).count == 5)
        #expect(messages(of: sent, accepted: 2 * size - 1) == sent)
        let many = (1...2000).map { frame($0) }
        #expect(messages(of: many, accepted: .max).allSatisfy { $0.count <= 64 << 10 })
    }

    @Test func `What was not sent is returned, in order`() {
        var outgoing = OutgoingFrames(accepted: .max)
        let sent = [frame(1), frame(2, payload: 10_000), frame(3)]
        for frame in sent { outgoing.append(frame) }
        #expect(outgoing.next() == sent[0])
        outgoing.removeFirst()
        #expect(outgoing.removeAll() == [sent[1], sent[2]])
        #expect(outgoing.isEmpty)
    }

    @Test func `A message that does not end with a frame yields its whole frames, and the rest as one that is refused`()
    {
        let whole = frame(1) + frame(2)
        for rest in [[0], [UInt8](repeating: 0, count: 200), Array(frame(3).dropLast()), frame(3).map { ~$0 }] {
            #expect(frames(in: whole + rest) == [frame(1), frame(2), rest])
            #expect(throws: FrameError.self) { try Frame(rest) }
        }
        #expect(frames(in: []) == [[]])
        #expect(frames(in: [1, 2, 3]) == [[1, 2, 3]])
        // A header that says that its frame ends within the header, or after the message.
        for length in [0, 75, 5000] as [UInt32] {
            var wrong = frame(1) + frame(2)
            for place in 0..<4 { wrong[4 + place] = UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32(place))) }
            #expect(frames(in: wrong) == [wrong])
            #expect(throws: FrameError.self) { try Frame(wrong) }
        }
    }

    @Test func `A message of several frames that is too large is refused as a whole`() {
        let message = Array((1...800).map { frame($0) }.joined())
        #expect(message.count > 64 << 10)
        #expect(frames(in: message) == [message])
        #expect(throws: FrameError.self) { try Frame(message) }
    }

    @Test func `A frame is read in its message, and a kept one has its own bytes`() throws {
        var sent = Frame(.reply)
        sent.payload = [0x18, 0x2A]
        let message = frame(1) + sent.encoded() + frame(2)
        var received = ReceivedFrames(message)
        _ = received.next()
        let second = received.next()
        let read = try Frame(try #require(second))
        #expect(read.payload == [0x18, 0x2A])
        // The place in the message shows that nothing was copied.
        #expect(read.payload.startIndex > Frame.headerSize)
        #expect(KeptFrame(read).frame.payload.startIndex == 0)
        #expect(KeptFrame(read).frame.payload == read.payload)
    }

    @Test func `Texts that were received before are the same as new ones`() throws {
        var recent = FrameTexts()
        let names = [
            "", "a", "b", "shop/open", "open", "ab", "ba", "aab", "é", "\u{1F600}",
            "x" + String(repeating: "y", count: 200),
        ]
        for name in names + names.reversed() + names {
            var sent = Frame(.request, name: name)
            sent.sender = name + "Sender"
            sent.session = name
            let read = try Frame(sent.encoded()[...], &recent, names: 0)
            #expect(read.name == name)
            #expect(read.isAddressed == sent.isAddressed)
            #expect(read.sender == name + "Sender")
            #expect(read.session == name)
        }
        // The texts have the length and the ends of one before.
        var bytes = Frame(.request, name: "abcd").encoded()
        _ = try Frame(bytes[...], &recent, names: 0)
        bytes[Frame.headerSize + 1] = 0xFF
        #expect(throws: FrameError.self) { try Frame(bytes[...], &recent, names: 0) }
        bytes[Frame.headerSize + 1] = 0x7A
        #expect(try Frame(bytes[...], &recent, names: 0).name == "azcd")
    }
}
