import ConsoleModel
import Testing

/// The decoding of forms, which may be hostile.
@Suite(.timeLimit(.minutes(5)))
struct FormValuesTests {
    private func pairs(_ text: String) throws -> [String] {
        try FormValues(Array(text.utf8)).pairs.map { "\($0.name)=\($0.value)" }
    }

    @Test("Names and values are decoded in their order")
    func decoding() throws {
        #expect(try pairs("") == [])
        #expect(try pairs("a=1&b=&c") == ["a=1", "b=", "c="])
        #expect(try pairs("a+b=1%2B1+%3d&%C3%A9=%f0%9f%98%80") == ["a b=1+1 =", "é=😀"])
        #expect(try pairs("a=b=c") == ["a=b=c"])
    }

    @Test(
        "What two readers could understand differently is refused",
        arguments: [
            "&", "a=1&", "&a=1", "=1", "a=%", "a=%4", "a=%zz", "a=%00", "a=%ff", "%C3=1", "a=%c0%80", "a=%ed%a0%80",
        ])
    func malformed(text: String) {
        #expect(throws: FormValues.Problem.malformed) { try pairs(text) }
    }

    @Test("A field that is there twice is refused, also if it is written in two ways")
    func repeated() {
        #expect(throws: FormValues.Problem.repeated) { try pairs("a=1&a=2") }
        #expect(throws: FormValues.Problem.repeated) { try pairs("a=1&%61=2") }
    }

    @Test("A form of more fields than any screen has is refused")
    func tooMany() throws {
        let text = (0..<1000).map { "f\($0)=" }.joined(separator: "&")
        #expect(try pairs(text).count == 1000)
        #expect(throws: FormValues.Problem.tooMany) { try pairs(text + "&more=") }
    }

    @Test("A megabyte of one value is decoded, and random bytes do no harm")
    func large() throws {
        let value = String(repeating: "%41", count: 1 << 18)
        #expect(try FormValues(Array("a=\(value)".utf8))["a"]?.utf8.count == 1 << 18)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<1000 {
            let bytes = (0..<40).map { _ in "%&=+a0\u{0}\u{fffd}".utf8.randomElement(using: &generator) ?? 0 }
            // Each is read or refused.
            _ = try? FormValues(bytes)
        }
    }
}
