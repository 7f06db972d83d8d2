import CBOR
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CBORRawTests {
    @Test("Only a single complete item is accepted")
    func validation() throws {
        #expect(try CBORRaw([0x81, 0x01]).bytes == [0x81, 0x01])
        #expect(throws: CBORError(.unexpectedEnd, at: 0)) { try CBORRaw([]) }
        #expect(throws: CBORError(.trailingBytes, at: 1)) { try CBORRaw([0x01, 0x02]) }
        #expect(throws: CBORError(.tooDeep, at: 0)) { try CBORRaw([0x80], limits: CBORLimits(maximumDepth: 0)) }
    }

    @Test("A value that was encoded in advance can be decoded later")
    func encodingAhead() throws {
        let raw = try CBORRaw(encoding: Shapes.ada)
        #expect(try raw.decode(as: Shapes.Person.self) == Shapes.ada)
        let encoded = try CBOREncoder().encode(["payload": raw])
        #expect(try CBORDecoder().decode([String: Shapes.Person].self, from: encoded) == ["payload": Shapes.ada])
    }
}
