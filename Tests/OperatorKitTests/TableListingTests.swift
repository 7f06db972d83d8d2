import ArgumentParser
import CBOR
import OperatorKit
import Testing

/// A listing for people: its lines, and the screen on which it is watched.
@Suite(.timeLimit(.minutes(5)))
struct TableListingTests {
    private static func listing(rows: Int, isLog: Bool = false) -> TableListing {
        var table = Table("NAME", "STATE", isLog: isLog)
        for row in 0..<rows { table.add("row \(row)", "x") }
        var listing = TableListing(table, whenEmpty: "there is nothing", json: .null)
        listing.head = [.init("above")]
        listing.foot = [.init("below")]
        return listing
    }

    private static func rows(_ screen: TerminalScreen) -> [String] { (0..<screen.size.rows).map(screen.text) }

    private static func rows(_ listing: TableListing, _ count: Int, notice: String? = nil) -> [String] {
        rows(listing.screen(.init(columns: 20, rows: count), notice: notice))
    }

    @Test("Lines are above and below the table, and a text is in the place of an empty one")
    func lines() {
        #expect(Self.listing(rows: 1).lines(width: nil) == ["above", "NAME   STATE", "row 0  x", "below"])
        #expect(Self.listing(rows: 0).lines(width: nil) == ["above", "there is nothing", "below"])
    }

    @Test("A screen shows all lines if they find room, and no caret")
    func fits() {
        #expect(Self.rows(Self.listing(rows: 1), 5) == ["above", "NAME   STATE", "row 0  x", "below", ""])
        #expect(Self.listing(rows: 1).screen(.init(columns: 20, rows: 5)).caret == nil)
    }

    @Test("Lines that find no room are counted in the last one")
    func clipped() {
        #expect(Self.rows(Self.listing(rows: 9), 4) == ["above", "NAME   STATE", "row 0  x", "… 9 more"])
        #expect(Self.rows(Self.listing(rows: 9), 1) == ["… 12 more"])
    }

    @Test("Of a log, the newest rows are shown below the header")
    func log() {
        let listing = Self.listing(rows: 9, isLog: true)
        #expect(Self.rows(listing, 5) == ["above", "NAME   STATE", "… 8 before", "row 8  x", "below"])
        #expect(Self.rows(listing, 2) == ["above", "… 11 more"])
    }

    @Test("A notice has the last row for itself")
    func notice() {
        #expect(Self.rows(Self.listing(rows: 9), 3, notice: "away") == ["above", "… 11 more", "away"])
        #expect(Self.rows(Self.listing(rows: 9), 1, notice: "away") == ["away"])
        #expect(Self.rows(Self.listing(rows: 1), 6, notice: "away").last == "away")
    }

    @Test("Only the cells that have changed are drawn again")
    func calm() {
        let size = TerminalScreen.Size(columns: 20, rows: 6)
        let output = Self.listing(rows: 2).screen(size).output(after: Self.listing(rows: 1).screen(size))
        #expect(!output.contains("NAME"))
        #expect(!output.contains("\u{1B}[2J"))
    }

    @Test("Nothing in a line acts on the terminal")
    func harmless() {
        var listing = Self.listing(rows: 0)
        listing.head = [.init("a\u{1B}[2J\u{202E}b")]
        listing.whenEmpty = "\u{1B}]0;x\u{7}"
        let text = listing.lines(width: nil).joined()
        #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}") && !text.contains("\u{7}"))
    }

    @Test("The interval has bounds, and is for --watch only")
    func interval() throws {
        #expect(try WatchOptions.parse(["--watch", "--interval", "0.1"]).interval == 0.1)
        #expect(try WatchOptions.parse(["--watch"]).interval == nil)
        #expect(try !WatchOptions.parse([]).watch)
        for wrong in ["0", "0.09", "3601", "-1", "nan", "inf", "x"] {
            #expect(throws: (any Error).self) { try WatchOptions.parse(["--watch", "--interval=\(wrong)"]) }
        }
        #expect(throws: (any Error).self) { try WatchOptions.parse(["--interval", "1"]) }
    }
}
