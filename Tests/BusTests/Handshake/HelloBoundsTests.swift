import Messaging
import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct HelloBoundsTests {
    private func hello(_ peer: String = "wall-1", _ change: (inout Hello) -> Void = { _ in }) -> Hello {
        var hello = Hello(role: .worker, peer: peer, pid: 1, endpoint: "ipc:///x")
        change(&hello)
        return hello
    }

    @Test(arguments: ["wall-1", "küche", "上海", "a.b_c-d1", String(repeating: "x", count: 128)])
    func `A readable name is a valid peer name`(name: String) {
        #expect(hello(name).excess == nil)
    }

    @Test(
        arguments: [
            "", "host", "*", "a b", "a\tb", "a\nb", "\u{202E}wall", "wall\u{200B}", "\u{0}", "a\u{AD}b",
            "..", "a/b", "a:b", String(repeating: "x", count: 129),
        ])
    func `Reserved, unreadable and overlong names are refused with the rule`(name: String) {
        #expect(hello(name).excess?.contains(BusName.rule) == true)
    }

    @Test func `The lists in a hello are bounded, and the error names the one that is too long`() {
        let names = (0...1024).map { "name\($0)" }
        #expect(hello { $0.handles = Array(names.dropLast()) }.excess == nil)
        #expect(hello { $0.handles = names }.excess?.contains("messages") == true)
        #expect(hello { $0.provides = names }.excess?.contains("entries") == true)
        #expect(hello { $0.services = names }.excess?.contains("services") == true)
        #expect(hello { $0.scenes = names }.excess?.contains("scene configurations") == true)
        let held = (0...10_000).map { HeldScene(session: "s\($0)", token: 1) }
        #expect(hello { $0.held = Array(held.dropLast()) }.excess == nil)
        #expect(hello { $0.held = held }.excess?.contains("scenes held") == true)
        #expect(hello { $0.capacity = 10_001 }.excess != nil)
    }

    @Test func `A hello with the maximum number of held scenes fits into its frame`() throws {
        let held = (0..<10_000).map { HeldScene(session: "session-identifier-\(100_000 + $0)", token: .max) }
        let bytes = try Frame(.hello).encoded(payload: hello { $0.held = held })
        #expect(try Frame(bytes).kind == .hello)
    }

    @Test(arguments: [FrameKind.hello, .heartbeat, .cancel, .synchronize, .goodbye, .beacon])
    func `A frame above its kind's size limit is refused before it is decoded`(kind: FrameKind) {
        var frame = Frame(kind)
        frame.payload = [UInt8](repeating: 0, count: Frame.maximumSize(of: kind) - Frame.headerSize)[...]
        #expect(throws: Never.self) { try Frame(frame.encoded()) }
        frame.payload.append(0)
        let error = #expect(throws: FrameError.self) { try Frame(frame.encoded()) }
        #expect(error?.code == .tooLarge)
        #expect(error?.detail.contains(kind.name) == true)
    }
}
