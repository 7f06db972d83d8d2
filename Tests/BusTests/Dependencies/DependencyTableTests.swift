import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(1)))
struct DependencyTableTests {
    @Test func `only what is different is a change`() {
        var table = DependencyTable()
        #expect(table.apply(["a": [1], "b": [2]], owner: "p")?.revision == 1)
        #expect(table.apply(["a": [1]], owner: "p") == nil)
        #expect(table.apply(["c": nil], owner: "p") == nil)
        let change = table.apply(["a": [1], "b": [3]], owner: "p")
        #expect(change == DependencyChange(entries: ["b": [3]], revision: 2, previous: 1))
    }

    @Test func `what changed since a revision includes removals, from the start it does not`() {
        var table = DependencyTable()
        _ = table.apply(["a": [1]], owner: "")
        _ = table.apply(["b": [1]], owner: "")
        _ = table.apply(["a": nil], owner: "")
        #expect(table.changes(after: 2).entries == ["a": nil])
        #expect(table.changes(after: 0).entries == ["b": [1]])
        #expect(table.changes(after: 3).entries == [:])
    }

    @Test func `the payload carries values as they are, and removals`() throws {
        let entries: [String: [UInt8]?] = ["a": [0x82, 1, 2], "gone": nil, "null": [0xF6]]
        #expect(try DependencyPayload.decode(DependencyPayload.encode(entries)[...]) == entries)
        #expect(throws: FrameError.self) { try DependencyPayload.decode([0x01]) }
        #expect(throws: FrameError.self) { try DependencyPayload.decode([0xA1, 0x61]) }
    }
}
