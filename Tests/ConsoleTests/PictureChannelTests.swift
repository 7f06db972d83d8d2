import ConsoleModel
import ConsolePages
import Monotonic
import SceneContent
import Synchronization
import TestKit
import Testing

/// The way of a scene's pictures to the streams of its pages. The tests draw, and say the time.
@Suite(.timeLimit(.minutes(5)))
struct PictureChannelTests {
    /// What is drawn, and what happens meanwhile.
    private final class Drawings: Sendable {
        private let state = Mutex<(count: Int, meanwhile: (@Sendable () -> Void)?)>((0, nil))

        var count: Int { state.withLock { $0.count } }

        /// Has something happen while the next one is drawn.
        func during(_ meanwhile: @escaping @Sendable () -> Void) { state.withLock { $0.meanwhile = meanwhile } }

        func draw(_ text: String) -> String {
            guard text.hasPrefix("event: patch") else { return text }
            let meanwhile = state.withLock { state in
                defer { state.meanwhile = nil }
                state.count += 1
                return state.meanwhile
            }
            meanwhile?()
            return text
        }
    }

    private final class Clock: Sendable {
        private let time = Mutex(MonotonicInstant.now)
        var now: MonotonicInstant { time.withLock { $0 } }
        func pass(_ duration: Duration) { time.withLock { $0 += duration } }
    }

    private let drawings = Drawings()
    private let clock = Clock()
    private let channel: PictureChannel<String>
    private let view = SceneView(address: .scene("a"), access: .use)

    init() {
        channel = PictureChannel(session: "a", now: { [clock] in clock.now }) { [drawings] in drawings.draw($0) }
    }

    private func picture(_ state: String) -> ScenePicture {
        let layers = SceneLayers([ContentLayer(key: "a", title: state, blocks: [])])
        return ScenePicture(layers: layers, state: state, isLive: true)
    }

    /// The text of the next event; `nil` if there is none.
    private func next(_ stream: UInt64, _ position: inout PictureChannel<String>.Position) async -> String? {
        switch await channel.next(stream, after: &position) {
        case .event(let text), .last(let text): text
        case .nothing: nil
        }
    }

    @Test("A change is drawn once for all pages that show the scene alike")
    func shared() async {
        channel.show(picture("one"))
        await withTaskGroup { group in
            for number in 0..<500 {
                let view = SceneView(address: .scene("a"), access: number.isMultiple(of: 5) ? .view : .use)
                group.addTask { [channel] in
                    let (stream, _) = channel.open(for: nil)
                    var position = channel.begin(stream, of: view, after: nil) {}
                    guard case .event(let text) = await channel.next(stream, after: &position) else { return false }
                    return text.contains("one")
                }
            }
            for await hasPicture in group { #expect(hasPicture) }
        }
        #expect(drawings.count == 2)
    }

    @Test("While a change is drawn, the channel is there for others, and the next change comes after it")
    func drawing() async throws {
        channel.show(picture("one"))
        let (stream, _) = channel.open(for: nil)
        var position = channel.begin(stream, of: view, after: nil) {}
        let second = picture("two")
        // All of this would wait for ever if the drawing had the channel's lock.
        drawings.during { [channel] in
            let (stream, _) = channel.open(for: nil)
            channel.show(second)
            channel.beat()
            _ = (channel.newest, channel.ended, channel.isSettled, channel.streamCount)
            channel.close(stream)
        }
        #expect(try #require(await next(stream, &position)).contains("one"))
        #expect(channel.streamCount == 1)
        #expect(try #require(await next(stream, &position)).contains("two"))
        // The picture has said that the stream is alive.
        #expect(await next(stream, &position) == nil)
        channel.beat()
        #expect(await next(stream, &position)?.contains("alive") == true)
    }

    @Test("A page that falls behind gets the newest picture, whole, and none of those that it has missed")
    func behind() async throws {
        channel.show(picture("first"))
        let (stream, signals) = channel.open(for: nil)
        var position = channel.begin(stream, of: view, after: nil) {}
        #expect(await next(stream, &position)?.contains("first") == true)
        for number in 1...100 {
            channel.show(picture("change \(number)"))
            channel.beat()
        }
        let event = try #require(await next(stream, &position))
        #expect(event.contains("change 100") && !event.contains("change 99"))
        #expect(event.contains("\"main\""), "\(event)")
        // What it says of life is said by the picture.
        #expect(await next(stream, &position) == nil)
        #expect(drawings.count == 2)
        channel.close(stream)
        var waiting = 0
        for await _ in signals { waiting += 1 }
        #expect(waiting <= 1)
    }

    @Test("A reader who does not read is disconnected after a minute, and one who reads is not")
    func stuck() async throws {
        let cuts = Mutex<[String]>([])
        channel.show(picture("one"))
        let (stuck, reading) = (channel.open(for: nil).stream, channel.open(for: nil).stream)
        var first = channel.begin(stuck, of: view, after: nil) { cuts.withLock { $0.append("stuck") } }
        var second = channel.begin(reading, of: view, after: nil) { cuts.withLock { $0.append("reading") } }
        // The stuck one never takes what is next, because this is not written.
        #expect(await next(stuck, &first) != nil)
        for _ in 0..<6 {
            while await next(reading, &second) != nil { continue }
            clock.pass(.seconds(10))
            channel.beat()
        }
        #expect(cuts.withLock { $0 } == [])
        while await next(reading, &second) != nil { continue }
        clock.pass(.seconds(1))
        channel.beat()
        #expect(cuts.withLock { $0 } == ["stuck"])
    }

    @Test("Time that a drawing takes is not the reader's")
    func slowDrawing() async {
        let cuts = Mutex(0)
        channel.show(picture("one"))
        let (stream, _) = channel.open(for: nil)
        var position = channel.begin(stream, of: view, after: nil) { cuts.withLock { $0 += 1 } }
        drawings.during { [channel, clock] in
            clock.pass(.seconds(100))
            channel.beat()
        }
        #expect(await next(stream, &position) != nil)
        channel.beat()
        #expect(cuts.withLock { $0 } == 0)
    }

    @Test("A stream ends with the reason, when its reader has logged out or the scene has ended")
    func ends() async {
        let owner = ConsoleToken().digest
        channel.show(picture("one"))
        let (own, other) = (channel.open(for: owner).stream, channel.open(for: nil).stream)
        var first = channel.begin(own, of: view, after: channel.newest?.revision) {}
        var second = channel.begin(other, of: view, after: channel.newest?.revision) {}
        channel.end(of: owner, "Gone.")
        guard case .last(let text) = await channel.next(own, after: &first), text.hasPrefix("event: leave\n"),
            text.contains("Gone.")
        else {
            Issue.record("the stream goes on")
            return
        }
        #expect(await next(other, &second) == nil)
        channel.end(.closed)
        #expect(await next(other, &second)?.contains("event: end\ndata: \"This session is closed.\"") == true)
    }

    @Test("What is drawn is kept while pages ask for it, and not until the next change")
    func unused() async {
        func load() async -> Bool {
            let (stream, _) = channel.open(for: nil)
            defer { channel.close(stream) }
            var position = channel.begin(stream, of: view, after: nil) {}
            return await next(stream, &position)?.contains("one") == true
        }
        channel.show(picture("one"))
        for _ in 0..<3 {
            #expect(await load())
            channel.beat()
        }
        #expect(drawings.count == 1)
        channel.beat()
        #expect(await load())
        #expect(drawings.count == 2)
    }

    @Test("What pages can do without takes no more than there is for all scenes; beyond it, a page gets the whole")
    func room() async throws {
        let room = PictureRoom(limit: 10_000)
        do {
            let channels = (0..<20).map { PictureChannel<String>(session: "\($0)", in: room) { $0 } }
            var known: [String?] = []
            for channel in channels {
                channel.show(picture("one"))
                known.append(channel.newest?.revision)
                channel.show(picture("two"))
            }
            #expect((1...10_000).contains(room.bytes), "\(room.bytes)")
            for (number, isWhole) in [(0, false), (19, true)] {
                let channel = channels[number]
                let (stream, _) = channel.open(for: nil)
                var position = channel.begin(stream, of: view, after: known[number]) {}
                guard case .event(let text) = await channel.next(stream, after: &position) else {
                    Issue.record("no picture")
                    continue
                }
                #expect(text.contains("two") && text.contains("\"main\"") == isWhole, "\(text)")
            }
            #expect(room.bytes <= 10_000)
        }
        try await until("the room is given back") { room.bytes == 0 }
    }
}
