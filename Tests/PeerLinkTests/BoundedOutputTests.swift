import Glibc
import Testing

@testable import PeerLink

@Suite(.timeLimit(.minutes(5)))
struct BoundedOutputTests {
    /// A pipe in which nothing more fits.
    private final class FullPipe: Sendable {
        let readEnd: Int32
        let writeEnd: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            (readEnd, writeEnd) = (ends[0], ends[1])
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            // The size of a pipe.
            let size = 64 << 10
            try #require(write(writeEnd, [UInt8](repeating: UInt8(ascii: "."), count: size), size) == size)
        }

        deinit {
            close(readEnd)
            close(writeEnd)
        }

        /// Reads until a text has appeared.
        @concurrent
        func text(until end: String) async throws -> String {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(readEnd, &buffer, buffer.count)
                try #require(count > 0)
                bytes += buffer[..<count]
                let text = String(decoding: bytes, as: UTF8.self)
                if text.contains(end) { return text }
            }
        }
    }

    @Test("Lines for a reader that does not read wait in order, and arrive when it reads, without another line")
    func waits() async throws {
        let pipe = try FullPipe()
        let output = BoundedOutput(pipe.writeEnd)
        for number in 1...100 { output.write("line \(number)\n") }
        #expect(output.lostLines == 0)
        let text = try await pipe.text(until: "line 100\n")
        #expect(text.drop { $0 == "." } == (1...100).map { "line \($0)\n" }.joined())
    }

    @Test("What does not fit in the queue is counted, and said where it is missing")
    func loses() async throws {
        let pipe = try FullPipe()
        let output = BoundedOutput(pipe.writeEnd)
        let long = String(repeating: "x", count: 1023) + "\n"
        for _ in 0..<300 { output.write(long) }
        #expect(output.lostLines == 44)
        let text = try await pipe.text(until: "nobody read them\n")
        #expect(text.contains("\n44 lines of this output are missing: nobody read them\n"))
        #expect(text.split(separator: "\n").count { $0.hasSuffix("x") } == 256)
        // The descriptor is shared with other processes, whose writes must go on blocking.
        #expect(fcntl(pipe.writeEnd, F_GETFL) & O_NONBLOCK == 0)
    }

    @Test("The output of other processes is dropped and counted when nobody reads")
    func passes() throws {
        let pipe = try FullPipe()
        let output = BoundedOutput(pipe.writeEnd)
        [UInt8](repeating: 0, count: 100).withUnsafeBytes { output.pass($0) }
        #expect(output.droppedBytes == 100)
    }

    @Test("A line of another process that was written in part is finished, and what is dropped is said after it")
    func passesWholeLines() async throws {
        let pipe = try FullPipe()
        var page = [UInt8](repeating: 0, count: 4096)
        try #require(read(pipe.readEnd, &page, page.count) == page.count)
        let output = BoundedOutput(pipe.writeEnd)
        let line = String(repeating: "a", count: 5000) + "\n"
        var lines = line + String(repeating: "b", count: 2999) + "\n"
        lines.withUTF8 { output.pass(UnsafeRawBufferPointer($0)) }
        #expect(output.droppedBytes == 3000)
        output.write("host\n")
        let text = try await pipe.text(until: "host\n")
        #expect(
            text.drop { $0 == "." } == line
                + "3000 bytes of plugins' output are missing: nobody read them\nhost\n")
        #expect(output.lostLines == 0)
    }

    @Test("The lines that a full disk costs are counted without the notices, and said with the reason")
    func fullDisk() throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        let descriptor = dup(fileno(file))
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0 && full >= 0)
        defer { for descriptor in [descriptor, full] { close(descriptor) } }
        let output = BoundedOutput(descriptor)
        output.name("host 'default'")
        output.write("one\n")
        try #require(dup2(full, descriptor) == descriptor)
        for number in 1...8 { output.write("lost \(number)\n") }
        #expect(output.lostLines == 8)
        try #require(dup2(fileno(file), descriptor) == descriptor)
        output.write("two\n")
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = pread(fileno(file), &bytes, bytes.count, 0)
        try #require(count > 0)
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        try #require(lines.count == 3)
        #expect(lines[0] == "one")
        #expect(
            lines[1].hasSuffix(
                " warning host 'default': 8 lines of this log are missing: \(String(cString: strerror(ENOSPC)))"))
        #expect(lines[2] == "two")
    }

    @Test("The end of a process does not wait for a reader that does not read")
    func flushes() throws {
        let pipe = try FullPipe()
        let output = BoundedOutput(pipe.writeEnd)
        output.write("the last line\n")
        output.flush(within: .milliseconds(1))
        #expect(output.lostLines == 0)
    }
}
