import CBOR
import OperatorKit
import Testing

/// What is printed, line by line, while a table changes.
@Suite(.timeLimit(.minutes(5)))
struct TableChangesTests {
    private static func listing(_ rows: [String]..., isLog: Bool = false, json: CBORValue = .null) -> TableListing {
        var table = Table("NAME", "STATE", isLog: isLog)
        for row in rows { table.add(row) }
        return TableListing(table, whenEmpty: "there is nothing", json: json)
    }

    @Test("The first listing is all new, below a header that comes once")
    func first() {
        var changes = TableChanges()
        #expect(
            changes.lines(for: Self.listing(["a", "running"], ["long", "x"]))
                == ["  NAME  STATE", "+ a     running", "+ long  x"])
        #expect(changes.lines(for: Self.listing(["a", "running"], ["long", "x"])) == [])
    }

    @Test("A row that is gone is printed with its last cells, then those that are new or have changed, in their order")
    func differences() {
        var changes = TableChanges()
        _ = changes.lines(for: Self.listing(["a", "running"], ["b", "running"], ["c", "waiting"]))
        #expect(
            changes.lines(for: Self.listing(["d", "new"], ["c", "running"], ["b", "running"]))
                == ["- a     running", "+ d     new", "~ c     running"])
        // Another order alone is no change.
        #expect(changes.lines(for: Self.listing(["b", "running"], ["c", "running"], ["d", "new"])) == [])
        #expect(
            changes.lines(for: Self.listing()) == ["- b     running", "- c     running", "- d     new"])
    }

    @Test("A table that is empty at first has its header only, and columns never get narrower")
    func alignment() {
        var changes = TableChanges()
        #expect(changes.lines(for: Self.listing()) == ["  NAME  STATE"])
        #expect(changes.lines(for: Self.listing(["longer name", "x"])) == ["+ longer name  x"])
        #expect(
            changes.lines(for: Self.listing(["a", "y"])) == ["- longer name  x", "+ a            y"])
    }

    @Test("Rows of the same name are told apart by their order")
    func sameNames() {
        var changes = TableChanges()
        _ = changes.lines(for: Self.listing(["a", "1"], ["a", "2"]))
        #expect(changes.lines(for: Self.listing(["a", "1"], ["a", "3"], ["a", "4"])) == ["~ a     3", "+ a     4"])
        #expect(changes.lines(for: Self.listing(["a", "1"])) == ["- a     3", "- a     4"])
    }

    @Test("A row is named by the column that the table says")
    func identity() {
        func listing(_ mark: String) -> TableListing {
            var table = Table("IN USE", "NAME", identity: "NAME")
            table.add(mark, "wall")
            table.add("", "lobby")
            return TableListing(table, json: .null)
        }
        var changes = TableChanges()
        _ = changes.lines(for: listing("*"))
        #expect(changes.lines(for: listing("")) == ["~         wall"])
    }

    @Test("A note is at the end of its row, and its change is one of the row")
    func notes() {
        func listing(_ note: String?) -> TableListing {
            var table = Table("NAME", "STATE")
            table.add("a", "waiting", note: note)
            return TableListing(table, json: .null)
        }
        var changes = TableChanges()
        #expect(changes.lines(for: listing("code\n7")) == ["  NAME  STATE", "+ a     waiting  code\u{FFFD}7"])
        #expect(changes.lines(for: listing("code 8")) == ["~ a     waiting  code 8"])
        #expect(changes.lines(for: listing(nil)) == ["~ a     waiting"])
    }

    @Test("What only grows older is no change, neither in a row nor in a line beside the table")
    func ages() {
        func listing(seconds: Int, state: String) -> TableListing {
            var table = Table("NAME", "SILENT")
            table.add("a", "\(seconds) s", comparing: ["a", state])
            var listing = TableListing(table, json: .null)
            listing.head = [.init("up \(seconds) s, \(state)", named: "host", comparing: state)]
            listing.foot = [.init("problem: \(state)")]
            return listing
        }
        var changes = TableChanges()
        #expect(
            changes.lines(for: listing(seconds: 1, state: "x"))
                == ["+ up 1 s, x", "  NAME  SILENT", "+ a     1 s", "+ problem: x"])
        #expect(changes.lines(for: listing(seconds: 2, state: "x")) == [])
        #expect(
            changes.lines(for: listing(seconds: 3, state: "y"))
                == ["- problem: x", "~ up 3 s, y", "~ a     3 s", "+ problem: y"])
    }

    @Test("What is gone from a log is not printed: it has only become too old")
    func log() {
        var changes = TableChanges()
        _ = changes.lines(for: Self.listing(["12:00", "open"], ["12:01", "close"], isLog: true))
        #expect(
            changes.lines(for: Self.listing(["12:01", "close"], ["12:01", "close"], ["12:01", "open"], isLog: true))
                == ["+ 12:01  close", "+ 12:01  open"])
    }

    @Test("Entries of a log that look alike are told apart by what the table compares")
    func alike() {
        func listing(_ numbers: Range<Int>) -> TableListing {
            var table = Table("TIME", "ACTION", isLog: true)
            for number in numbers { table.add("12:00", "open", comparing: ["\(number)"]) }
            return TableListing(table, json: .null)
        }
        var changes = TableChanges()
        _ = changes.lines(for: listing(0..<3))
        #expect(changes.lines(for: listing(1..<4)) == ["+ 12:00  open"])
    }

    @Test("A warning is passed on when it comes, and again when it was gone meanwhile")
    func warnings() {
        var changes = TableChanges()
        func new(_ warnings: String...) -> [String] {
            var listing = Self.listing()
            listing.warnings = warnings
            return changes.newWarnings(of: listing)
        }
        #expect(new("line 3") == ["line 3"])
        #expect(new("line 3", "line 4") == ["line 4"])
        #expect(new() == [])
        #expect(new("line 3") == ["line 3"])
    }

    @Test("JSON comes when something has changed besides the ages, and then whole")
    func json() throws {
        func listing(_ state: String, seconds: Double) throws -> TableListing {
            let text = #"{"up": \#(seconds), "state": "\#(state)", "links": [{"silent": \#(seconds), "up": 1}, 7]}"#
            var listing = Self.listing(json: try CBORValue(json: text))
            listing.ages = [["up"], ["links", "silent"], ["nothing", "here"]]
            return listing
        }
        var changes = TableChanges()
        #expect(changes.json(for: try listing("a", seconds: 1.5)) == (try listing("a", seconds: 1.5)).json)
        #expect(changes.json(for: try listing("a", seconds: 2.5)) == nil)
        #expect(changes.json(for: try listing("b", seconds: 3.5)) == (try listing("b", seconds: 3.5)).json)
        // A number that is none differs from itself, and is no change.
        #expect(changes.json(for: Self.listing(json: .double(.nan))) != nil)
        #expect(changes.json(for: Self.listing(json: .double(.nan))) == nil)
    }
}
