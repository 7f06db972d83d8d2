import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct InterfaceCountersTests {
    private func parse(_ text: String) -> [String: InterfaceCounters]? {
        InterfaceCounters.all(parsing: Array(text.utf8))
    }

    @Test func `Received and sent bytes are parsed with and without a space after the colon`() {
        let heading = "Inter-|   Receive\n face |bytes packets|bytes\n"
        let counters = parse(heading + "    lo:  10 1 2 3 4 5 6 7 20 9\neth0:4294967296 1 2 3 4 5 6 7 5 9\n")
        #expect(
            counters == [
                "lo": InterfaceCounters(receivedBytes: 10, sentBytes: 20),
                "eth0": InterfaceCounters(receivedBytes: 4_294_967_296, sentBytes: 5),
            ])
    }

    @Test(arguments: [
        "", "Inter-|\n face |\n", "lo: 1 2 3\n", "lo: x 1 2 3 4 5 6 7 8\n",
        "lo: 1 1 2 3 4 5 6 7 99999999999999999999\n",
        "lo 1 2 3 4 5 6 7 8 9\n", ": 1 2 3 4 5 6 7 8 9\n", "lo: 1 1 2 3 4 5 6 7 8",
    ])
    func `Malformed lines are skipped`(text: String) {
        #expect(parse(text) == nil)
        #expect(parse("ok: 1 2 3 4 5 6 7 8 9\n" + text)?.keys.sorted() == ["ok"])
    }

    @Test func `Interface names that aren't UTF-8 are repaired`() {
        let counters = InterfaceCounters.all(parsing: [0x20, 0xff] + Array(": 1 2 3 4 5 6 7 8 9\n".utf8))
        #expect(counters?.keys.sorted() == ["\u{fffd}"])
    }
}
