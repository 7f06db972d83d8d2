import Testing

@testable import CBOR

@Suite(.timeLimit(.minutes(5)))
struct StringExplainingTests {
    private enum Role: String, Codable { case worker }

    private struct Inner: Codable { var pid: Int32 }

    private struct Hello: Codable {
        var peer: String
        var role: Role?
        var links: [Inner]?
        var share: Double?
    }

    @Test(
        "A decoding error is explained in a sentence with the field and the expected type",
        arguments: [
            ([:], "the field 'peer' is missing"), (["peer": 5], "the field 'peer' is not a text"),
            (["peer": nil], "the field 'peer' is null where a text is needed"),
            (["peer": "a", "links": 5], "the field 'links' is not a list"),
            (["peer": "a", "links": [["pid": 1], [:]]], "the field 'links.1.pid' is missing"),
            (["peer": "a", "links": [["pid": "x"]]], "the field 'links.0.pid' is not a whole number"),
            (["peer": "a", "links": [7]], "the field 'links.0' is not an object"),
            (["peer": "a", "share": "x"], "the field 'share' is not a number"),
            (["peer": "a", "role": "boss"], "the field 'role' is wrong: 'boss' is none of its values"),
            (5, "the value is not an object"),
        ] as [(CBORValue, String)])
    func sentence(value: CBORValue, says: String) throws {
        let error = try #require(throws: DecodingError.self) { try value.decode(as: Hello.self) }
        #expect(String(explaining: error) == says)
    }

    @Test("A number that does not fit is explained as such")
    func tooLarge() throws {
        let value: CBORValue = ["peer": "a", "links": [["pid": 5_000_000_000]]]
        let error = try #require(throws: DecodingError.self) { try value.decode(as: Hello.self) }
        let text = String(explaining: error)
        #expect(text.hasPrefix("the field 'links.0.pid' is wrong: 5000000000 does not fit"))
        #expect(!text.contains("CodingKeys"))
    }
}
