import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct ReadMarksTests {
    private var marks = ReadMarks(earlier: 500)
    private let megabyte: UInt64 = 1 << 20

    @Test mutating func `A peer that returns the marks may receive any amount`() {
        var sent: UInt64 = 0
        for number in 1...1000 as ClosedRange<UInt64> {
            sent += 8 * megabyte
            #expect(marks.isDue(sent: sent))
            marks.sent(number, end: sent)
            #expect(!marks.isDue(sent: sent))
            #expect(marks.returned(number, received: sent) == true)
        }
        #expect(marks.unread(sent: sent + 7) == 7)
    }

    @Test mutating func `A report beyond a mark that was not returned is not true`() {
        marks.sent(11, end: 8 * megabyte)
        marks.sent(12, end: 16 * megabyte)
        #expect(marks.returned(11, received: 10 * megabyte) == true)
        // The report may be due when the mark is counted and not handled.
        #expect(marks.returned(nil, received: 16 * megabyte) == true)
        #expect(marks.returned(nil, received: 16 * megabyte + 1) == false)
        #expect(marks.returned(4711, received: 16 * megabyte + 1) == false)
        #expect(marks.returned(12, received: 16 * megabyte + 1) == true)
    }

    @Test mutating func `A peer that returns no marks may receive a limited amount on a link`() {
        marks.sent(1, end: 8 * megabyte)
        #expect(marks.returned(nil, received: ReadMarks.limitWithoutMarks) == true)
        #expect(marks.returned(nil, received: ReadMarks.limitWithoutMarks + 1) == false)
        #expect(marks.unread(sent: 9 * megabyte) == 9 * megabyte + 500)
    }
}
