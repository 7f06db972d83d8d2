import CBOR
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CBORWriterTests {
    @Test("A map written by hand equals the encoder's result")
    func byHand() throws {
        var writer = CBORWriter()
        writer.writeMapHead(count: 5)
        writer.writeString("name")
        writer.writeString(Shapes.ada.name)
        writer.writeString("age")
        writer.writeInteger(Int64(Shapes.ada.age))
        writer.writeString("score")
        writer.writeDouble(Shapes.ada.score)
        writer.writeString("isActive")
        writer.writeBool(Shapes.ada.isActive)
        writer.writeString("city")
        try writer.write(Shapes.ada.city)
        #expect(try writer.bytes == CBOREncoder().encode(Shapes.ada))
    }

    @Test("Every kind of item has its expected bytes")
    func items() throws {
        var writer = CBORWriter(appendingTo: [0x89])
        writer.writeNull()
        writer.writeUnsigned(.max)
        writer.writeInteger(.min)
        writer.writeFloat(1.5)
        writer.writeBytes([1, 2])
        writer.writeBytes([9, 8, 7][1...].map { UInt8($0) }[...])
        writer.writeArrayHead(count: 0)
        writer.writeRaw(try CBORRaw(encoding: false))
        writer.writeValue(["a": 1])
        #expect(
            try CBORValue(decoding: writer.bytes)
                == [
                    nil, .unsigned(.max), .int(.min), 1.5, .bytes([1, 2]), .bytes([8, 7]), [], false, ["a": 1],
                ])
    }

    @Test(
        "Heads are as short as possible",
        arguments: [
            (UInt64(23), "17"), (24, "1818"), (255, "18ff"), (256, "190100"), (65_535, "19ffff"),
            (65_536, "1a00010000"),
            (4_294_967_295, "1affffffff"), (4_294_967_296, "1b0000000100000000"),
        ])
    func heads(value: UInt64, encoded: String) {
        var writer = CBORWriter()
        writer.writeUnsigned(value)
        #expect(hexadecimal(writer.bytes) == encoded)
    }

    @Test("A value that cannot be encoded leaves no bytes behind")
    func failure() {
        struct Failure: Error {}
        struct Failing: Encodable { func encode(to encoder: any Encoder) throws { throw Failure() } }
        var writer = CBORWriter(appendingTo: [1])
        #expect(throws: Failure.self) { try writer.write([Failing()]) }
        #expect(writer.bytes == [1])
    }

    @Test("A value that replaces the writer to which memory is lent ends the process")
    func replacedWriter() async {
        await #expect(processExitsWith: .failure) {
            _ = CBORWriter.makeArray(capacity: 64, startingWith: { _ in 0 }) { writer in
                var other = CBORWriter()
                swap(&other, &writer)
            }
        }
        await #expect(processExitsWith: .failure) {
            // It throws, too.
            _ = try? CBORWriter.makeArray(capacity: 64, startingWith: { _ in 0 }) { writer in
                writer = CBORWriter()
                throw CBORItemReader.OtherForm()
            }
        }
    }
}
