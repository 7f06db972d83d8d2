import SeededRandom
import CBOR
import Testing

// The fuzzers run many more inputs. These tests yield, because other tests wait for a thread meanwhile.
@Suite(.timeLimit(.minutes(5)))
struct RandomInputTests {
    /// Decodes the input in every way. Only a crash or an inconsistent result fails; a value must survive being encoded
    /// again. Returns whether the input was accepted.
    private func tryEverything(_ input: [UInt8], as type: any Decodable.Type) -> Bool {
        let value = try? CBORValue(decoding: input)
        let typed = Result { try CBORDecoder().decode(type, from: input) }
        if case .failure(let error) = typed {
            #expect(error is CBORError || error is DecodingError)
            #expect(error is CBORError == (value == nil))
        }
        let skipped = try? CBORReader.walk(input[...]) { reader throws(CBORError) in
            try reader.skipItem()
            return reader.offset
        }
        let entries = try? CBORMap.entries(of: input)
        guard let value else {
            #expect(entries == nil)
            return false
        }
        #expect(skipped == input.count)
        #expect((try? CBORValue(decoding: value.encoded()))?.diagnostic == value.diagnostic)
        return true
    }

    private let types: [any Decodable.Type] = [
        Shapes.Person.self, Shapes.Team.self, Shapes.Page.self, Shapes.Optionals.self, Shapes.Interleaved.self,
        [String: Int].self, [Int: [Double]].self, [UInt8].self, Shapes.Integers.self, [CBORRaw].self, Shapes.Dog.self,
    ]

    @Test("20,000 random inputs give a value or an error")
    func random() async {
        var generator = SeededGenerator(seed: 8949)
        var accepted = 0
        for index in 0..<20_000 {
            if index % 100 == 0 { await Task.yield() }
            let count = Int.random(in: 0...40, using: &generator)
            var input = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Small counts and breaks are rare in random bytes, and reach more of the decoder.
            if index % 2 == 0 { input = input.map { $0 % 5 == 0 ? $0 & 0xe3 : $0 % 7 == 0 ? 0xff : $0 } }
            if tryEverything(input, as: types[index % types.count]) { accepted += 1 }
        }
        #expect(accepted > 200)
    }

    @Test("20,000 damaged encodings give a value or an error")
    func damaged() async throws {
        var generator = SeededGenerator(seed: 8949)
        let samples: [(bytes: [UInt8], type: any Decodable.Type)] = [
            (try CBOREncoder().encode(Shapes.ada), Shapes.Person.self),
            (try CBOREncoder().encode(Shapes.Page.over(.home, page: .account(id: 1, tab: "x"))), Shapes.Page.self),
            (try CBOREncoder().encode(Shapes.Interleaved(x: 1, y: [1, 2], z: "z")), Shapes.Interleaved.self),
            (try CBOREncoder().encode(Shapes.Dog(name: "Rex", tricks: ["sit"])), Shapes.Dog.self),
            (bytes(hexadecimal: "bf61789f5f4101ff7f6161fff97c00c1c2fa00000000ffff"), [String: [CBORValue]].self),
        ]
        var accepted = 0
        for index in 0..<20_000 {
            if index % 100 == 0 { await Task.yield() }
            let (sample, type) = samples[index % samples.count]
            var input = sample
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<input.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: input[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: input[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 2: input.insert(UInt8.random(in: 0...255, using: &generator), at: place)
                default: if input.count > 1 { input.remove(at: place) }
                }
            }
            if tryEverything(input, as: type) { accepted += 1 }
        }
        #expect(accepted > 200)
    }
}
