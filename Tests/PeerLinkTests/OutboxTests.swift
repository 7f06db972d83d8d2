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

    @Test("Publishes wait for the host's answers, and what changes meanwhile leaves with its latest value")
    mutating func answers() throws {
        outbox = Outbox(maximumUnanswered: 2)
        for value in UInt8(1)...5 {
            outbox.publish(["a": [value]])
            let frame = outbox.next { _ in true }
            #expect((frame != nil) == (value <= 2))
            if let frame { #expect(try Frame(frame).part == UInt64(value)) }
        }
        outbox.append([9])
        let waiting = all()
        #expect(waiting.isEmpty)
        // An answer to what was not sent counts for nothing more.
        outbox.answered(.max)
        let frames = all()
        #expect(frames.count == 2)
        #expect(try Frame(frames[0]).part == 3)
        #expect(try DependencyPayload.decode(Frame(frames[0]).payload).values == ["a": [5]])
        #expect(frames[1] == [9])
    }

    @Test("Without answers of the host, publishes have no number and do not wait")
    mutating func withoutAnswers() throws {
        for value in UInt8(1)...100 {
            outbox.publish(["a": [value]])
            let frame = try #require(outbox.next { _ in true })
            #expect(try Frame(frame).part == 0)
        }
    }
}
