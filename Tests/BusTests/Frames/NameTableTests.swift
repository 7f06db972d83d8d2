import CBOR
import CoordinatorKit
import Testing

@testable import Bus

@ResponderMessages
private protocol ShelfMessages {
    func shelfFill(item: String) async throws
    func shelfEmpty() async throws
}

extension ResponderChain: ShelfMessages {}

/// The index of a name in place of the name.
@Suite(.timeLimit(.minutes(5)))
struct NameTableTests {
    private func texts(_ names: [String]) -> FrameTexts {
        var texts = FrameTexts()
        texts.names.add(names)
        return texts
    }

    private func frame(_ name: String, _ index: NameIndex = .none) -> Frame {
        var frame = Frame(.request)
        frame.setName(name, index)
        frame.id = 7
        frame.session = "s"
        frame.sender = "Screen"
        frame.payload = [0xA0]
        return frame
    }

    /// The name's place in an encoded frame.
    private func place(_ bytes: [UInt8]) -> [UInt8] { Array(bytes[Frame.headerSize...].prefix(Int(bytes[72]))) }

    @Test func `A frame has the index of its name for a receiver that knows it, and else the name`() throws {
        var texts = texts(["a", "shelf/fill", "c"])
        let frame = frame("shelf/fill", NameIndex(rawValue: 1))
        for names in [2, 3] {
            let bytes = frame.encoded(names: names)
            #expect(place(bytes) == [0xFF, 1])
            let read = try Frame(bytes[...], &texts, names: names)
            #expect(read.name == "shelf/fill")
            #expect(read.isAddressed)
            #expect(read.nameIndex == frame.nameIndex)
            #expect(read.session == "s")
            #expect(read.sender == "Screen")
            #expect(read.payload == [0xA0])
        }
        for names in [0, 1] { #expect(place(frame.encoded(names: names)) == Array("shelf/fill".utf8)) }
        #expect(place(frame.encoded()) == Array("shelf/fill".utf8))
        #expect(try frame.encoded(payload: NoReply(), names: 3) == frame.encoded(names: 3))
    }

    @Test(arguments: [
        ("hostStatus", false), ("hostess", false), ("scenery", false), ("shelf/fill", false), ("shelfFill", true),
    ])
    func `A decoded frame knows of most messages of an application that they are such`(name: String, expected: Bool)
        throws
    {
        var texts = texts([name])
        let index = try Frame(frame(name, NameIndex(rawValue: 0)).encoded(names: 1)[...], &texts, names: 1)
        // The second time it is among the texts of the frames before.
        for read in try [index] + (0..<2).map({ _ in try Frame(frame(name).encoded()[...], &texts, names: 0) }) {
            #expect(read.name == name)
            #expect(read.isPlain == expected)
        }
        // Of another name, nothing is known.
        var renamed = index
        renamed.name = "hostStatus"
        #expect(!renamed.isPlain)
    }

    @Test func `The index of a name that is shorter than the index fits`() throws {
        // Only the address sanitizer notices a write beyond the memory.
        var texts = texts(["a"])
        var frame = Frame(.reply)
        frame.setName("a", NameIndex(rawValue: 0))
        let bytes = frame.encoded(names: 1)
        #expect(bytes.count == Frame.headerSize + 2)
        #expect(try Frame(bytes[...], &texts, names: 1).name == "a")
    }

    @Test func `An index that the link's list does not have makes a frame unreadable`() throws {
        var texts = texts(["a", "b"])
        for (index, names) in [(0, 0), (1, 1), (2, 2), (2, 128), (0xFF, 128)] {
            var bytes = frame("xx").encoded()
            bytes[Frame.headerSize] = 0xFF
            bytes[Frame.headerSize + 1] = UInt8(index)
            let error = #expect(throws: FrameError.self) { try Frame(bytes[...], &texts, names: names) }
            #expect(error?.code == .badText)
        }
        // The mark alone, and with more than an index.
        for name in ["x", "xxx"] {
            var bytes = frame(name).encoded()
            bytes[Frame.headerSize] = 0xFF
            #expect(throws: FrameError.self) { try Frame(bytes[...], &texts, names: 2) }
        }
        // No index stands for a session or a sender.
        var bytes = Frame(.request).encoded()
        bytes += [0xFF, 0]
        bytes[7] = UInt8(bytes.count)
        for length in [73, 74] {
            var bytes = bytes
            bytes[length] = 2
            #expect(throws: FrameError.self) { try Frame(bytes[...], &texts, names: 2) }
        }
    }

    @Test func `A name that is set later has no index`() {
        var frame = frame("a", NameIndex(rawValue: 0))
        frame.name = "b"
        #expect(place(frame.encoded(names: 2)) == Array("b".utf8))
    }

    @Test func `An index is replaced by its name, for another link`() throws {
        let name = "shelfFill" + String(repeating: "x", count: 246)
        let frame = frame(name, NameIndex(rawValue: 3))
        var bytes = frame.encoded(names: 4)
        Frame.spellOut(name, in: &bytes)
        #expect(bytes == frame.encoded())
        Frame.spellOut("another", in: &bytes)
        #expect(bytes == frame.encoded())
        // A whole name of two bytes is not an index.
        bytes = self.frame("é").encoded()
        Frame.spellOut("another", in: &bytes)
        #expect(bytes == self.frame("é").encoded())
    }

    @Test func `The list has each name once, up to its limits, and no name changes its index`() {
        var table = NameTable()
        table.add(["a", "b", "a", "", String(repeating: "x", count: 256)])
        table.add(["b", "c"])
        #expect(table.texts(.max) == ["a", "b", "c"])
        #expect(table.texts(2) == ["a", "b"])
        #expect(table.texts(-1) == [])
        table.add((0..<200).map { "name\($0)" })
        #expect(table.count == NameTable.maximumCount)
        #expect(Array(table.texts(.max).prefix(4)) == ["a", "b", "c", "name0"])
        var large = NameTable()
        large.add((0..<100).map { String(repeating: "x", count: 200) + "\($0)" })
        #expect(large.count == 20)
        // A welcome with it is within the limit of its kind.
        #expect(large.texts(.max).reduce(0) { $0 + $1.utf8.count + 3 } < 5 << 10)
    }

    @Test func `A list from the network keeps its positions, and ends at the first name that cannot be in one`() {
        #expect(NameTable(["a", "a", "b"]).texts(.max) == ["a", "a", "b"])
        #expect(NameTable(["a", "", "b"]).texts(.max) == ["a"])
        #expect(NameTable(["a", String(repeating: "x", count: 256), "b"]).texts(.max) == ["a"])
        #expect(NameTable((0..<1000).map { "n\($0)" }).count == NameTable.maximumCount)
    }

    private func index<M: ResponderMessage>(of message: M.Type, in table: inout NameTable) -> NameIndex {
        table.index(of: M.name, at: M.index)
    }

    @Test func `A message finds its index, also when its name is added later`() {
        var table = NameTable(["other", "shelfEmpty"])
        #expect(index(of: ShelfMessagesList.shelfEmpty.self, in: &table) == NameIndex(rawValue: 1))
        #expect(index(of: ShelfMessagesList.shelfFill.self, in: &table) == .none)
        table.add(["shelfFill"])
        #expect(index(of: ShelfMessagesList.shelfFill.self, in: &table) == NameIndex(rawValue: 2))
        #expect(index(of: ShelfMessagesList.shelfEmpty.self, in: &table) == NameIndex(rawValue: 1))
        #expect(table.has(NameIndex(rawValue: 2), for: "shelfFill"))
        #expect(!table.has(NameIndex(rawValue: 2), for: "shelfEmpty"))
        #expect(!table.has(NameIndex(rawValue: 3), for: "shelfFill"))
        #expect(!table.has(.none, for: "shelfFill"))
        // The Kelvin sign and K are equal, and have other bytes.
        #expect(NameTable(["K"]).has(NameIndex(rawValue: 0), for: "K"))
        #expect(!NameTable(["K"]).has(NameIndex(rawValue: 0), for: "\u{212A}"))
    }

    /// A message that is written without the macro, with the index of another one.
    private struct Forged: ResponderPost {
        static let name = "forged"
        static var index: Int { ShelfMessagesList.shelfEmpty.index }
        static func handler(for type: Responder.Type) -> PostHandler<Forged>? { nil }
        init() {}
        func writeItem(to writer: inout CBORWriter) {}
        init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) { self.init() }
    }

    @Test func `A message with the index of another one does not get its name`() {
        var table = NameTable(["shelfEmpty", "forged"])
        #expect(index(of: ShelfMessagesList.shelfEmpty.self, in: &table) == NameIndex(rawValue: 0))
        #expect(index(of: Forged.self, in: &table) == .none)
    }
}
