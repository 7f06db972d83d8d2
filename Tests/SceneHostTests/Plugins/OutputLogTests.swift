import Bus
import Testing

@testable import SceneHost

/// Which part of a process's output is kept.
@Suite(.timeLimit(.minutes(5)))
struct OutputLogTests {
    private func write(_ text: String, to log: inout OutputLog, isError: Bool = false) {
        Array(text.utf8).withUnsafeBytes { log.append($0, isError: isError) }
    }

    @Test("Lines are assembled in order, for each output separately")
    func lines() {
        var log = OutputLog()
        write("one\ntw", to: &log)
        write("oops\r\n", to: &log, isError: true)
        write("o\n\nrest", to: &log)
        #expect(log.lines.map(\.text) == ["one", "oops", "two", ""])
        #expect(log.lines.map(\.isError) == [false, true, false, false])
        #expect(log.lines.map(\.number) == [1, 2, 3, 4])
        log.finish()
        #expect(log.lines.last?.text == "rest")
    }

    @Test("The last line is taken from the standard error and is not blank")
    func lastWords() {
        var log = OutputLog()
        #expect(log.lastWords == nil)
        write("hello\n", to: &log)
        #expect(log.lastWords == "hello")
        write("broken\n\n  \n", to: &log, isError: true)
        write("bye\n", to: &log)
        #expect(log.lastWords == "broken")
    }

    @Test(
        "A crash is quoted, not the backtrace after it",
        arguments: [
            ("Scenes/Board.swift:26: Fatal error: the content is broken\n", "the content is broken"),
            ("Scenes/Board.swift:9: Precondition failed: empty\nsecond line\n", "Precondition failed: empty"),
            ("terminate called without an active exception\n", "without an active exception"),
        ])
    func crash(said: String, quoted: String) throws {
        var log = OutputLog()
        write("ready\n", to: &log, isError: true)
        write(said, to: &log, isError: true)
        write(
            "\n*** Signal 4: Backtracing from 0x7f00... done ***\n\nThread 0 crashed:\n\nBacktrace took 0.46s\n\n",
            to: &log, isError: true)
        let words = try #require(log.lastWords(of: .signaled(4)))
        #expect(words.hasSuffix(quoted))
        // The program of a script has crashed, which ends with its code.
        #expect(log.lastWords(of: .exited(132)) == words)
        // The session that a crashed worker had in its hands is held before it is known how the process has ended.
        #expect(log.crashWords == words)
        #expect(log.lastWords(of: .exited(1)) == "Backtrace took 0.46s")
    }

    @Test("Endless output is bounded in lines and in bytes")
    func bounds() {
        var log = OutputLog()
        for _ in 0..<10 { write(String(repeating: "y\n", count: 1000), to: &log) }
        #expect(log.lines.count == OutputLog.maximumLines)
        #expect(log.lastNumber == 10_000)
        for _ in 0..<200 { write(String(repeating: "x", count: 3000) + "\n", to: &log) }
        #expect(log.lines.reduce(0) { $0 + $1.text.utf8.count } <= OutputLog.maximumSize)
    }

    @Test("A line without an end is cut, and invalid text is kept as far as possible")
    func longLine() throws {
        var log = OutputLog()
        for _ in 0..<100 { write(String(repeating: "x", count: 10_000), to: &log) }
        write("\nnext\n", to: &log)
        #expect(log.lines.map(\.text.utf8.count) == [OutputLog.maximumLine + 3, 4])
        [0xFF, 0x41, 0x0A].map(UInt8.init).withUnsafeBytes { log.append($0, isError: false) }
        #expect(log.lines.last?.text == "\u{FFFD}A")
    }

    @Test("Pages continue across the processes of an instance, and each line appears once")
    func pages() {
        var history = OutputHistory()
        write((1...300).map { "\($0)\n" }.joined(), to: &history.present)
        history.begin(start: 1)
        write("new\n", to: &history.present)
        var texts: [String] = []
        var after: UInt64 = 0
        while true {
            let page = history.page(isPrevious: false, after: after)
            texts += page.lines.map(\.text)
            after = page.last
            if !page.hasMore { break }
        }
        #expect(texts == (1...300).map(String.init) + ["new"])
        #expect(history.page(isPrevious: false, after: nil).lines.map(\.text) == ["new"])
        #expect(history.page(isPrevious: true, after: nil).lines.first?.text == "1")
        #expect(history.page(isPrevious: true, after: 300).lines.isEmpty)
        write("more\n", to: &history.present)
        let more = history.page(isPrevious: false, after: after)
        #expect(more.lines.map(\.text) == ["more"])
        #expect(more.lines.map(\.start) == [1])
    }

    @Test("A line number that was not written yet is from another life of the host, so the pages start over")
    func otherLife() {
        var history = OutputHistory()
        #expect(
            history.page(isPrevious: false, after: 300)
                == LogPage(lines: [], last: 0, hasMore: false, newest: 0, unfinished: []))
        write("one\ntwo\n", to: &history.present)
        let page = history.page(isPrevious: false, after: 300)
        #expect(page.lines.map(\.text) == ["one", "two"])
        #expect(page.last == 2)
        #expect(history.page(isPrevious: false, after: page.last).lines.isEmpty)
        history.begin(start: 1)
        write("three\n", to: &history.present)
        #expect(history.page(isPrevious: false, after: 300).lines.map(\.number) == [1, 2, 3])
    }

    @Test("A line without an end is on the page as it is now, and becomes a line when it ends")
    func unfinished() {
        var history = OutputHistory()
        write("one\nwaiting for licence", to: &history.present)
        write("pass", to: &history.present, isError: true)
        let page = history.page(isPrevious: false, after: nil)
        #expect(page.lines.map(\.text) == ["one"])
        #expect(page.last == 1 && page.newest == 1)
        #expect(page.unfinished?.map(\.text) == ["waiting for licence", "pass"])
        #expect(page.unfinished?.map(\.isError) == [false, true])
        #expect(page.unfinished?.map(\.number) == [2, 3])
        write("… done\n", to: &history.present)
        let next = history.page(isPrevious: false, after: page.last)
        #expect(next.lines.map(\.text) == ["waiting for licence… done"])
        #expect(next.unfinished?.map(\.text) == ["pass"])
        history.present.finish()
        history.begin(start: 1)
        #expect(history.page(isPrevious: false, after: nil).unfinished == [])
        #expect(history.page(isPrevious: true, after: nil).lines.last?.text == "pass")
    }

    @Test("Each page says which line is the newest, so that a reader can end there")
    func newest() {
        var history = OutputHistory()
        write((1...300).map { "\($0)\n" }.joined(), to: &history.present)
        let page = history.page(isPrevious: false, after: nil)
        #expect(page.hasMore && page.last == 200)
        #expect(page.newest == 300)
    }

    @Test(
        "Of a line that is written over after carriage returns, the last state is kept",
        arguments: [
            (["10 %\r20 %\r30 %"], "30 %"), (["10 %\r", "20 %\r", "30 %\r"], "30 %"),
            (["10 %\r", "\r", "20 %"], "20 %"),
            (["10 %", "\r", "2"], "2"), (["abc\r\r"], "abc"),
        ])
    func progress(pieces: [String], state: String) {
        var log = OutputLog()
        for piece in pieces { write(piece, to: &log) }
        #expect(log.unfinished.map(\.text) == [state])
        write("\n", to: &log)
        #expect(log.lines.map(\.text) == [state])
    }

    @Test("A progress without an end shows its last state, however much was written before")
    func longProgress() {
        var log = OutputLog()
        for step in 0..<10_000 { write("\(step) of 10000\r", to: &log) }
        #expect(log.unfinished.map(\.text) == ["9999 of 10000"])
    }

    @Test("A page is bounded in bytes, too")
    func pageSize() {
        var history = OutputHistory()
        for _ in 0..<50 { write(String(repeating: "x", count: 4000) + "\n", to: &history.present) }
        let page = history.page(isPrevious: false, after: nil)
        #expect(page.hasMore)
        #expect(page.lines.count == 16)
        #expect(page.last == 16)
    }
}
