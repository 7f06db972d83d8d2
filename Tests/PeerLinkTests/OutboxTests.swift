import Bus
import Testing

@testable import PeerLink

@Suite(.timeLimit(.minutes(5)))
struct OutboxTests {
    private var outbox = Outbox()

    private mutating func all() -> [[UInt8]] {
        var frames: [[UInt8]] = []
        while let frame = outbox.next(fitting: { _ in true }) { frames.append(frame) }
        return frames
    }

    @Test("Frames leave in their order, and only when they fit")
    mutating func order() {
        outbox.append([1, 1, 1])
        outbox.append([2])
        let none = outbox.next(fitting: { $0 < 3 })
        #expect(none == nil)
        let frames = all()
        #expect(frames == [[1, 1, 1], [2]])
        #expect(outbox.isEmpty)
    }

    @Test("The room of a frame is free again when it has left")
    mutating func room() {
        let half = [UInt8](repeating: 0, count: Outbox.maximumBytes / 2)
        for _ in 0..<5 {
            #expect(outbox.hasRoom(for: Outbox.maximumBytes))
            outbox.append(half)
            #expect(!outbox.hasRoom(for: Outbox.maximumBytes))
            #expect(outbox.hasRoom(for: half.count))
            _ = all()
        }
    }

    @Test("Changes of entries wait by key, and leave with their latest values")
    mutating func entries() throws {
        outbox.append([1])
        outbox.publish(["a": [1], "b": [2]])
        outbox.publish(["a": [3], "b": nil])
        let frames = all()
        #expect(frames.count == 2)
        let published = try DependencyPayload.decode(Frame(frames[1]).payload)
        #expect(published == ["a": [3], "b": nil])
    }
}
