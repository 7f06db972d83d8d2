import Testing

@testable import CBOR

/// Values that write and read themselves, held against `Codable`.
@Suite(.timeLimit(.minutes(5)))
struct CBORItemTests {
    private enum Colour: String, CBORItem { case red, green }

    private struct Part: Codable, Equatable {
        var text: String
        var table: [String: Int]
    }

    /// What the macros generate, with a part that is only `Codable`.
    private struct Item: CBORItem, Equatable {
        var id: Int
        var name: String
        var colour: Colour
        var note: String?
        var scores: [Double]
        var bytes: [UInt8]
        var part: Part
        var other: Part?
        var aNameOfMoreThanTwentyThreeBytes: [Item]

        init(id: Int = -7, name: String = "ünïcödé", note: String? = nil, other: Part? = nil, items: [Item] = []) {
            self.id = id
            self.name = name
            colour = .green
            self.note = note
            scores = [0.1, -0.0, 1e300]
            bytes = [1, 2, 3]
            part = Part(text: "part", table: ["b": 2, "a": 1])
            self.other = other
            aNameOfMoreThanTwentyThreeBytes = items
        }

        func writeItem(to writer: inout CBORWriter) throws {
            try writer.beginFields(
                CBORWriter.fieldCount(id) + CBORWriter.fieldCount(name) + CBORWriter.fieldCount(colour)
                    + CBORWriter.fieldCount(note) + CBORWriter.fieldCount(scores) + CBORWriter.fieldCount(bytes)
                    + CBORWriter.fieldCount(part) + CBORWriter.fieldCount(other)
                    + CBORWriter.fieldCount(aNameOfMoreThanTwentyThreeBytes))
            try writer.writeField("id", id)
            try writer.writeField("name", name)
            try writer.writeField("colour", colour)
            try writer.writeField("note", note)
            try writer.writeField("scores", scores)
            try writer.writeField("bytes", bytes)
            try writer.writeField("part", part)
            try writer.writeField("other", other)
            try writer.writeField("aNameOfMoreThanTwentyThreeBytes", aNameOfMoreThanTwentyThreeBytes)
            writer.endFields()
        }

        init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
            var count = try reader.readFields()
            id = try reader.readField("id", of: &count)
            name = try reader.readField("name", of: &count)
            colour = try reader.readField("colour", of: &count)
            note = try reader.readField("note", of: &count)
            scores = try reader.readField("scores", of: &count)
            bytes = try reader.readField("bytes", of: &count)
            part = try reader.readField("part", of: &count)
            other = try reader.readField("other", of: &count)
            aNameOfMoreThanTwentyThreeBytes = try reader.readField("aNameOfMoreThanTwentyThreeBytes", of: &count)
            try reader.endFields(count)
        }
    }

    /// Reads a value by itself; nil for another form.
    private func read<T: CBORItem>(_ type: T.Type, _ bytes: [UInt8], limits: CBORLimits = .default) -> T? {
        try? CBORDecoder(limits: limits).readItem(type, from: bytes[...])
    }

    private func encodeThroughCodable(_ value: some Encodable) throws -> [UInt8] { try CBOREncoder().encode(value) }

    private func decodeThroughCodable<T: Decodable>(_ type: T.Type, _ bytes: [UInt8]) throws -> T {
        try CBORDecoder().decode(type, from: bytes)
    }

    private func expectSame<T: CBORItem & Equatable>(
        _ value: T, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let bytes = try CBOREncoder().encode(value)
        #expect(bytes == (try encodeThroughCodable(value)), sourceLocation: sourceLocation)
        #expect(read(T.self, bytes) == value, "it does not read itself", sourceLocation: sourceLocation)
        #expect(try decodeThroughCodable(T.self, bytes) == value, sourceLocation: sourceLocation)
    }

    private static let nested = Item(
        id: 1, name: "outer", note: "", other: Part(text: "", table: [:]), items: [Item(), Item(id: 300)])

    /// Replaces the reader that it gets.
    private struct Thief: CBORItem {
        init() {}
        init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
            let other: [UInt8] = [0xf6]
            other.withUnsafeBytes { reader = CBORItemReader($0, limits: CBORLimits())! }
        }
        func writeItem(to writer: inout CBORWriter) throws { writer.writeNull() }
    }

    @Test func `A value that replaces its reader ends the process`() async {
        await #expect(processExitsWith: .failure) { _ = try CBORDecoder().decode(Thief.self, from: [0xf6]) }
    }

    @Test func `The bytes of a value are those of Codable, and it reads itself`() throws {
        try expectSame(Item())
        try expectSame(Self.nested)
        try expectSame([Self.nested, Item()])
    }

    @Test func `The bytes of the standard types are those of Codable`() throws {
        try expectSame(true)
        try expectSame(String(repeating: "long ", count: 100))
        try expectSame(Float(1.5))
        try expectSame([Int?.some(1), nil])
        try expectSame([UInt8]())
        try expectSame([[UInt8](repeating: 1, count: 300)])
        try expectSame(CBORBytes([1]))
        try expectSame(Int8.min)
        try expectSame(Int64.min)
        try expectSame(UInt64.max)
        try expectSame(UInt16(24))
        try expectSame(Colour.red)
        try expectSame(Int?.none)
    }

    @Test func `Other forms are left to Codable, and give the same value`() throws {
        let plain = try CBOREncoder().encode(["id": 1, "name": 2] as [String: Int])
        struct Pair: CBORItem, Equatable {
            var id: Int
            var name: Int

            func writeItem(to writer: inout CBORWriter) throws {
                try writer.beginFields(2)
                try writer.writeField("id", id)
                try writer.writeField("name", name)
                writer.endFields()
            }

            init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
                var count = try reader.readFields()
                id = try reader.readField("id", of: &count)
                name = try reader.readField("name", of: &count)
                try reader.endFields(count)
            }
        }
        #expect(read(Pair.self, plain) != nil)
        let forms = [
            "a2 646e616d65 02 626964 01",  // the other order
            "a3 626964 01 646e616d65 02 6178 00",  // an unknown key
            "bf 626964 01 646e616d65 02 ff",  // an indefinite length
            "a2 c1 626964 01 646e616d65 02",  // a tag
            "a2 7802 6964 01 646e616d65 02",  // a longer head
            "a2 626964 f93c00 646e616d65 02",  // a number of another kind: no integer
            "a2 626964 01 646e616d65 02 00",  // a byte too many
            "a1 626964 01",  // a field too few
            "a2 626964 01 646e616d65",  // an end inside an item
        ].map(bytes(hexadecimal:))
        for form in forms {
            #expect(read(Pair.self, form) == nil)
            let expected = Result { try decodeThroughCodable(Pair.self, form) }
            let actual = Result { try CBORDecoder().decode(Pair.self, from: form) }
            switch (expected, actual) {
            case (.success(let left), .success(let right)): #expect(left == right)
            case (.failure(let left), .failure(let right)): #expect("\(left)" == "\(right)")
            default: Issue.record("\(expected) and \(actual) for \(hexadecimal(form))")
            }
        }
    }

    @Test func `Items that Codable reads as another value are left to it`() throws {
        let tagged = bytes(hexadecimal: "81 c1f6")
        #expect(read([CBORRaw?].self, tagged) == nil)
        #expect(try CBORDecoder().decode([CBORRaw?].self, from: tagged) == [nil])
        let signalling = bytes(hexadecimal: "fa 7f800001")
        #expect(read(Float.self, signalling) == nil)
        let nan = try CBORDecoder().decode(Float.self, from: signalling)
        #expect(nan.isNaN && !nan.isSignalingNaN)
    }

    @Test func `The limits of a decoder hold for values that read themselves`() throws {
        let item = try CBOREncoder().encode(Self.nested)
        #expect(read(Item.self, item, limits: CBORLimits(maximumBytes: item.count - 1)) == nil)
        #expect(read(Item.self, item, limits: CBORLimits(maximumDepth: 2)) == nil)
        // The dictionary inside the part of the inner item is the deepest.
        #expect(read(Item.self, item, limits: CBORLimits(maximumDepth: 5)) == Self.nested)
        #expect(read(Item.self, item, limits: CBORLimits(maximumDepth: 4)) == nil)
        #expect(throws: CBORError.self) {
            try CBORDecoder(limits: CBORLimits(maximumItems: 8)).decode(Item.self, from: item)
        }
        let marks = "a" + String(repeating: "\u{301}", count: 100)
        #expect(read(String.self, [0x78, UInt8(marks.utf8.count)] + Array(marks.utf8)) == nil)
        #expect(read(String.self, [0x61, 0xff]) == nil)
    }

    @Test func `A value that is nested too deeply is refused with the error of Codable`() throws {
        var item = Item()
        for _ in 0..<300 { item = Item(items: [item]) }
        var bytes: [UInt8] = [1, 2]
        #expect(throws: EncodingError.self) { try CBOREncoder().encode(item, into: &bytes) }
        #expect(bytes == [1, 2])
    }

    @Test func `An error of a part that is only Codable names the field`() throws {
        struct Broken: Encodable, Decodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(
                    0, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "broken"))
            }
        }
        struct Whole: CBORItem {
            var part = Broken()

            init() {}

            func writeItem(to writer: inout CBORWriter) throws {
                try writer.beginFields(1)
                try writer.writeField("part", part)
                writer.endFields()
            }

            init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
                throw CBORItemReader.OtherForm()
            }
        }
        do {
            _ = try CBOREncoder().encode(Whole())
            Issue.record("a broken part was encoded")
        } catch let EncodingError.invalidValue(_, context) {
            #expect(context.codingPath.map(\.stringValue) == ["part"])
        }
    }
}
