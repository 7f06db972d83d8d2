import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct RawProcessTests {
    private static func line(
        name: String = "(cat)", state: String = "S", ticks: String = "30 12", threads: String = "3",
        pages: String = "383"
    ) -> String {
        "7 \(name) \(state) 1 1 1 0 -1 4194304 98 0 0 0 \(ticks) 5 5 20 0 \(threads) 0 56759 3133440 \(pages) 1844 1 2\n"
    }

    private func parse(_ text: String) -> RawProcess? {
        RawProcess(pid: 7, stat: Array(text.utf8))
    }

    @Test(arguments: [
        ("cat", "cat"), ("a b", "a b"), ("a) R 1 2 3 (b", "a) R 1 2 3 (b"), ("((", "(("), ("))", "))"), ("", ""),
        ("a\nb", "a?b"), ("\u{1b}]0;x", "?]0;x"),
        (String(repeating: "n", count: 100), String(repeating: "n", count: 64)),
    ])
    func `All fields are parsed, whatever the process name contains`(name: String, shown: String) throws {
        let process = try #require(parse(Self.line(name: "(\(name))")))
        #expect(process.pid == 7)
        #expect(process.name == shown)
        #expect(process.state == .sleeping)
        #expect(process.ticks == 42)
        #expect(process.threads == 3)
        #expect(process.startTicks == 56759)
        #expect(process.residentPages == 383)
    }

    @Test func `A name that isn't UTF-8 is repaired`() {
        var bytes = Array(Self.line(name: "(a..b)").utf8)
        bytes.replaceSubrange(4..<6, with: [0xff, 0xc3])
        #expect(RawProcess(pid: 7, stat: bytes)?.name == "a\u{fffd}\u{fffd}b")
    }

    @Test func `A line cut at any byte gives no process`() {
        let bytes = Array(Self.line().utf8)
        #expect(RawProcess(pid: 7, stat: bytes) != nil)
        for length in 0..<bytes.count {
            #expect(RawProcess(pid: 7, stat: Array(bytes[..<length])) == nil, "cut to \(length) bytes")
        }
    }

    @Test(arguments: [
        "\n", "7 (cat) S 1 2 3\n", line(name: "cat"), line(name: ")cat("), line(name: "(cat"), line(state: "SS"),
        line(ticks: "x 12"), line(ticks: "-30 12"), line(ticks: "18446744073709551615 1"),
        line(threads: "18446744073709551615"), line(pages: "99999999999999999999"),
    ])
    func `Malformed lines give no process`(text: String) {
        #expect(parse(text) == nil)
    }

    @Test(
        arguments: [
            ("R", .running), ("S", .sleeping), ("D", .uninterruptible), ("T", .stopped), ("t", .stopped),
            ("Z", .zombie),
            ("X", .zombie), ("I", .idle), ("?", .unknown),
        ] as [(String, ProcessState)])
    func `The kernel's process states are recognized`(letter: String, state: ProcessState) {
        #expect(parse(Self.line(state: letter))?.state == state)
    }

    @Test(
        arguments: [
            ("Name:\tcat\nUid:\t1\t2\t3\t4\n", 2), ("Uid:\t0\t0\t0\t0\n", 0), ("Uid:\t1\t4294967295\t3\t4\n", .max),
            ("Uid:\t1\t4294967296\t3\t4\n", nil), ("Uid:\t1\n", nil), ("Uid:\tx\ty\n", nil), ("", nil),
            ("Gid:\t1\t2\n", nil),
            ("Uid:\t1\t2", nil), ("Name:\tUid: 5 6\nUid:\t1\t2\t3\t4\n", 2),
        ] as [(String, UInt32?)])
    func `The user is the effective user`(status: String, user: UInt32?) {
        #expect(RawProcess.userID(parsing: Array(status.utf8)) == user)
    }
}
