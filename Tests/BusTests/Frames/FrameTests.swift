import SeededRandom
import CoordinatorKit
import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct FrameTests {
    private func sample() -> Frame {
        var frame = Frame(.request)
        frame.flags = [.passedOn]
        frame.id = 1
        frame.parent = 2
        frame.deadline = 3
        frame.token = 4
        frame.revision = 5
        frame.trace = Vectors.trace
        frame.name = "accountLogin"
        frame.session = "k3m9xw2p"
        frame.sender = "LoginViewController"
        frame.actor = "operator desk-7 desk"
        frame.payload = [0xA0]
        return frame
    }

    @Test func `Every field survives encoding and decoding`() throws {
        let sent = sample()
        let frame = try Frame(sent.encoded())
        #expect(frame.kind == sent.kind)
        #expect(frame.flags == sent.flags)
        #expect(frame.id == 1)
        #expect(frame.parent == 2)
        #expect(frame.deadline == 3)
        #expect(frame.token == 4)
        #expect(frame.revision == 5)
        #expect(frame.trace == sent.trace)
        #expect(frame.name == sent.name)
        #expect(frame.session == sent.session)
        #expect(frame.sender == sent.sender)
        #expect(frame.actor == sent.actor)
        #expect(Array(frame.payload) == [0xA0])
    }

    @Test func `A frame cut at any byte is refused`() {
        let bytes = sample().encoded()
        for count in 0..<bytes.count {
            #expect(throws: FrameError.self) { try Frame(Array(bytes[..<count])) }
        }
    }

    @Test func `Each kind of malformed frame has its own error code`() {
        func code(_ change: (inout [UInt8]) -> Void) -> FrameError.Code? {
            var bytes = sample().encoded()
            change(&bytes)
            do {
                _ = try Frame(bytes)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code { $0 = [] } == .tooShort)
        #expect(code { $0[0] = 0x47 } == .notOurs)
        #expect(code { $0[1] = 9 } == .otherVersion)
        #expect(code { $0[2] = 99 } == .unknownKind)
        #expect(code { $0.append(0) } == .wrongLength)
        #expect(code { $0[72] = 255 } == .wrongLength)
        let texts = "accountLogin" + "k3m9xw2p" + "LoginViewController"
        #expect(code { $0[Frame.headerSize + texts.utf8.count] = 0 } == .wrongLength)
        #expect(code { $0[Frame.headerSize] = 0xFF } == .badText)
        #expect(code { _ in } == nil)
    }

    @Test func `A frame above the size limit is refused, and one at the limit is accepted`() throws {
        var frame = sample()
        frame.payload = []
        frame.payload = [UInt8](repeating: 0, count: Frame.maximumSize - frame.encoded().count)[...]
        #expect(try Frame(frame.encoded()).payload.count == frame.payload.count)
        frame.payload.append(0)
        let error = #expect(throws: FrameError.self) { try Frame(frame.encoded()) }
        #expect(error?.code == .tooLarge)
    }

    @Test func `The error for a message that is too large gives its name, size and limit`() throws {
        try Frame.checkSize(of: Frame.maximumMade, .request, message: "mapStore")
        let error = #expect(throws: MessageError.self) {
            try Frame.checkSize(of: Frame.maximumMade + 1, .request, message: "mapStore")
        }
        #expect(error?.code == .malformed)
        for word in ["mapStore", "request", "\(Frame.maximumMade + 1)", "\(Frame.maximumMade)"] {
            #expect(error?.description.contains(word) == true)
        }
    }

    @Test func `An error's description is cut to what a frame can carry`() throws {
        struct Chatter: Error, CustomStringConvertible {
            let description = String(repeating: "ä", count: 10_000_000)
        }
        var frame = Frame(.failure)
        for error in [Chatter(), MessageError(.malformed, message: "m", detail: Chatter().description)] as [any Error] {
            let bytes = try frame.encoded(payload: FailureEncoding(error))
            #expect(bytes.count < 100_000)
            frame = try Frame(bytes)
            let read = try frame.decodePayload(as: FailureEncoding.self).error
            #expect(String(describing: read).contains("ääää"))
        }
    }

    @Test func `A text that is too long is cut at a character boundary`() throws {
        var frame = sample()
        frame.sender = String(repeating: "ä", count: 200)
        let read = try Frame(frame.encoded())
        #expect(read.sender == String(repeating: "ä", count: 127))
        #expect(Array(read.payload) == [0xA0])
    }

    @Test func `Random bytes decode to a frame or an error and never crash`() {
        var random = SeededGenerator(seed: 42)
        var taken = 0
        let good = sample().encoded()
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0...Int(random.next() % 4) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            if (try? Frame(bytes)) != nil { taken += 1 }
        }
        #expect(taken > 0)
        #expect(taken < 20_000)
    }

    @Test func `The error for a payload of the wrong shape names the frame kind and the field`() throws {
        var frame = Frame(.welcome)
        frame.payload = [0xA0]
        let error = #expect(throws: FrameError.self) { try frame.decodePayload(as: Welcome.self) }
        #expect(error?.code == .badPayload)
        #expect(error?.description.contains("welcome") == true)
        #expect(error?.description.contains("version") == true)
    }
}
