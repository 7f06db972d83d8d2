import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct DiskCountersTests {
    private func parse(_ text: String) -> [DeviceNumber: DiskCounters]? {
        DiskCounters.all(parsing: Array(text.utf8))
    }

    @Test func `Read and written bytes are parsed for each device`() {
        let counters = parse("   8  0 sda 1 2 10 4 5 6 20 8 9 10 11\n   8  1 sda1 1 2 3 4 5 6 7 8 9 10 11 12 13 14\n")
        #expect(
            counters == [
                DeviceNumber(major: 8, minor: 0): DiskCounters(name: "sda", readBytes: 5120, writtenBytes: 10240),
                DeviceNumber(major: 8, minor: 1): DiskCounters(name: "sda1", readBytes: 1536, writtenBytes: 3584),
            ])
    }

    @Test(arguments: [
        "8 0 sda 1 2 10 4 5 6\n", "8 0 sda 1 2 x 4 5 6 7\n", "x 0 sda 1 2 3 4 5 6 7\n", "8 0 sda 1 2 3 4 5 6 -7\n",
        "8 0 sda 1 2 18446744073709551615 4 5 6 7\n", "8 99999999999 sda 1 2 3 4 5 6 7\n", "8 0 sda 1 2 3 4 5 6 7",
        "\n",
    ])
    func `Malformed lines are skipped`(text: String) {
        #expect(parse(text) == nil)
        #expect(parse("9 0 ok 1 2 3 4 5 6 7\n" + text)?.count == 1)
    }

    @Test func `An empty file means no devices`() {
        #expect(parse("") == [:])
    }
}
