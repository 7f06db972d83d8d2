import Glibc
import Testing
import ZeroMQ

@MainActor
@Suite(.timeLimit(.minutes(5)), .serialized)
struct DescriptorSourceTests {
    /// Both ends of a pipe.
    private struct Pipe {
        let reading: Int32
        let writing: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            let result = pipe(&ends)
            try #require(result == 0)
            reading = ends[0]
            writing = ends[1]
        }

        func send(_ text: String) {
            let written = write(writing, text, text.utf8.count)
            #expect(written == text.utf8.count)
        }

        /// - Returns: The available text; empty at the end of the file.
        func receive(atMost count: Int = 4096) -> String {
            var buffer = [UInt8](repeating: 0, count: count)
            let size = read(reading, &buffer, count)
            return String(decoding: buffer.prefix(max(0, size)), as: UTF8.self)
        }
    }

    private let received = Inbox(of: String.self)

    @Test func `Written data and the end of the file are announced`() async throws {
        let pipe = try Pipe()
        let source = Slot<DescriptorSource>()
        source.value = DescriptorSource(pipe.reading) { [received] in
            let text = pipe.receive()
            if text.isEmpty { source.value?.cancel() }
            received.put(text)
        }
        pipe.send("one")
        #expect(await received.take(1) == ["one"])
        pipe.send("two")
        #expect(await received.take(1) == ["two"])
        close(pipe.writing)
        #expect(await received.take(1) == [""])
        source.value = nil
        close(pipe.reading)
    }

    @Test func `Data that is already there is announced`() async throws {
        let pipe = try Pipe()
        pipe.send("early")
        let source = DescriptorSource(pipe.reading) { [received] in received.put(pipe.receive()) }
        #expect(await received.take(1) == ["early"])
        source.cancel()
        close(pipe.writing)
        close(pipe.reading)
    }

    @Test func `Data that is left unread is announced again`() async throws {
        let pipe = try Pipe()
        let source = DescriptorSource(pipe.reading) { [received] in received.put(pipe.receive(atMost: 1)) }
        pipe.send("abc")
        #expect(await received.take(3) == ["a", "b", "c"])
        source.cancel()
        close(pipe.writing)
        close(pipe.reading)
    }

    @Test func `Nothing is announced after cancelling, not even data that was found before`() async throws {
        let pipe = try Pipe()
        pipe.send("there")
        // The new source is due in the next turn, and is cancelled before it.
        let source = DescriptorSource(pipe.reading) { [received] in received.put(pipe.receive()) }
        source.cancel()
        pipe.send("later")
        await pause()
        #expect(received.count == 0)
        #expect(pipe.receive() == "therelater")
        close(pipe.writing)
        close(pipe.reading)
    }

    @Test func `Cancelling twice does not affect the descriptor's next owner`() async throws {
        let first = try Pipe()
        let source = DescriptorSource(first.reading) {}
        source.cancel()
        let second = try Pipe()
        // The first pipe's descriptor number now refers to the second pipe.
        let same = dup2(second.reading, first.reading)
        #expect(same == first.reading)
        let next = DescriptorSource(first.reading) { [received] in received.put(second.receive()) }
        source.cancel()
        await pause()
        second.send("still heard")
        #expect(await received.take(1) == ["still heard"])
        next.cancel()
        for descriptor in [first.reading, first.writing, second.reading, second.writing] { close(descriptor) }
    }

    private func pause() async {
        let passed = Inbox(of: Void.self)
        let timer = LoopTimer { passed.put(()) }
        timer.set(for: .now + .milliseconds(20))
        _ = await passed.take(1)
    }
}
