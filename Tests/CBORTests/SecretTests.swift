import CBOR
import Foundation
import Testing

/// What a secret is in CBOR, and that nothing shows it.
@Suite(.timeLimit(.minutes(5)))
struct SecretTests {
    private struct Login: Codable, Hashable {
        var user: String
        var pin: Secret<String>
        var old: Secret<String>?
    }

    private enum Colour: String, Codable {
        case red
    }

    private let login = Login(user: "ada", pin: Secret("difference"))

    @Test("A secret is its value with a tag, and survives a round trip")
    func roundTrip() throws {
        #expect(hexadecimal(try CBOREncoder().encode(Secret("2468"))) == "d9977364" + "32343638")
        let bytes = try CBOREncoder().encode(login)
        #expect(try CBORDecoder().decode(Login.self, from: bytes) == login)
        let full = Login(user: "ada", pin: Secret("a"), old: Secret("b"))
        #expect(try CBORDecoder().decode(Login.self, from: try CBOREncoder().encode(full)) == full)
        let nested = [Secret(["a": Secret([1, 2])]), Secret([:])]
        #expect(
            try CBORDecoder().decode([Secret<[String: Secret<[Int]>]>].self, from: try CBOREncoder().encode(nested))
                == nested)
        let none = Secret<String?>(nil)
        #expect(try CBORDecoder().decode(Secret<String?>.self, from: try CBOREncoder().encode(none)) == none)
    }

    @Test("A value without the tag is read as a secret, and a secret as the plain value")
    func otherPeers() throws {
        let plain = try CBOREncoder().encode(["user": "ada", "pin": "difference"])
        #expect(try CBORDecoder().decode(Login.self, from: plain) == login)
        let secret = try CBOREncoder().encode(login)
        #expect(try CBORDecoder().decode([String: String].self, from: secret) == ["user": "ada", "pin": "difference"])
        // A number of tags, and a head that is longer than necessary.
        let strange = bytes(hexadecimal: "c1 da 00009773 d99773 64 32343638")
        #expect(try CBORDecoder().decode(Secret<String>.self, from: strange).revealed == "2468")
        #expect(try CBORValue(decoding: strange) == .secret(Secret("2468")))
    }

    @Test("No text of a secret, or of a value that has one, shows it")
    func texts() throws {
        var dumped = ""
        dump(login, to: &dumped)
        dump([Optional(Secret("difference"))], to: &dumped)
        dump(try CBORRaw(encoding: login), to: &dumped)
        // "diff", as the bytes of an encoded item are printed.
        #expect(!dumped.contains("100, 105, 102") && !dumped.contains("- 105"), "\(dumped)")
        let texts = [
            "\(login)", String(reflecting: login), dumped, "\(Secret("difference"))",
            String(reflecting: Secret("difference")), "\(Mirror(reflecting: login.pin).children.map { "\($0)" })",
            "\([login.pin: login.pin])", "\(try CBORValue(encoding: login))", try CBORValue(encoding: login).json,
            String(reflecting: try CBORValue(encoding: login)), "\(try CBORRaw(encoding: login))",
            try CBORValue(encoding: login).diagnostic(maximumLength: 40),
        ]
        for text in texts {
            #expect(!text.contains("diff"), "\(text)")
        }
        #expect(texts.filter { $0.contains(Secret<String>.hidden) }.count >= 9, "\(texts)")
        #expect(try CBORValue(encoding: login).json == #"{"user":"ada","pin":"••••••"}"#)
        #expect(try CBORValue(encoding: login).diagnostic == #"{"user": "ada", "pin": ••••••}"#)
    }

    @Test("A value without a schema keeps the secret and its tag")
    func value() throws {
        let bytes = try CBOREncoder().encode(login)
        let value = try CBORValue(decoding: bytes)
        #expect(value["pin"] == .secret(Secret("difference")))
        #expect(value["pin"]?.stringValue == nil)
        #expect(value.encoded() == bytes)
        #expect(try CBOREncoder().encode(value) == bytes)
        #expect(try value.decode(as: Login.self) == login)
        #expect(try CBOREncoder().encode(["a": value]) == [0xa1, 0x61, 0x61] + bytes)
    }

    @Test("An encoder without tags refuses a secret, and its error does not hold it")
    func otherEncoders() throws {
        let values: [any Encodable] = [
            login, login.pin, try CBORValue(encoding: login), try CBORRaw(encoding: login),
        ]
        for value in values {
            let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(value) }
            #expect(error.map { "\($0)" }?.contains("A secret is written as CBOR only") == true)
            #expect(error.map { "\($0) \(String(reflecting: $0))" }?.contains("difference") == false)
        }
        let json = Data(#"{"user": "ada", "pin": "difference"}"#.utf8)
        #expect(try JSONDecoder().decode(Login.self, from: json) == login)
    }

    /// The types that read a text or a number, and what their errors would quote.
    private func message<T: Decodable>(_ type: T.Type, _ bytes: [UInt8]) throws -> String {
        let error = try #require(throws: (any Error).self) { try CBORDecoder().decode(type, from: bytes) }
        return "\(error) | \(String(reflecting: error)) | \(String(explaining: error))"
    }

    @Test("The error of a secret that cannot be read names the place, and nothing of the value")
    func decodingErrors() throws {
        struct Wide: Codable { var pin: Secret<Int8> }
        struct Enum: Codable { var pin: Secret<Colour> }
        struct PlainEnum: Codable { var pin: Colour }
        struct PlainNumber: Codable { var pin: Int8 }
        struct Keys: Codable { var pin: Secret<[Int: String]> }
        let text = try CBOREncoder().encode(login)
        let number = try CBOREncoder().encode(["pin": Secret(987_654)])
        let keys = try CBOREncoder().encode(["pin": Secret(["difference": "x"])])
        let inner = try CBOREncoder().encode(["pin": Secret(["colour": "difference"])])
        struct Inner: Codable {
            struct Part: Codable { var colour: Colour }
            var pin: Part
        }
        for message in [
            try message(Wide.self, number), try message(PlainNumber.self, number), try message(Enum.self, text),
            try message(PlainEnum.self, text), try message(Keys.self, keys), try message(Inner.self, inner),
            try message(Wide.self, text), try message(Secret<Colour>.self, try CBOREncoder().encode("difference")),
        ] {
            #expect(!message.contains("difference") && !message.contains("987"), "\(message)")
            #expect(message.contains("ecret"), "\(message)")
        }
        let explained = try message(Wide.self, text)
        #expect(explained.contains("the field 'pin' is wrong: The secret is not a whole number"), "\(explained)")
    }

    @Test("A value that cannot be encoded is not in the error")
    func encodingErrors() throws {
        struct Failing: Codable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(
                    "difference", EncodingError.Context(codingPath: [], debugDescription: "not difference"))
            }
        }
        let error = try #require(throws: EncodingError.self) { try CBOREncoder().encode(["pin": Secret(Failing())]) }
        #expect(!"\(error)".contains("difference"), "\(error)")
    }

    @Test("Secrets are found in an item and taken out")
    func takenOut() throws {
        let value: CBORValue = [
            "plain": 1, "pin": .secret(Secret("difference")),
            "list": [1, .secret(Secret([2])), ["x": .secret(Secret(3))]],
        ]
        #expect(value.holdsSecret)
        #expect(value.withoutSecrets == ["plain": 1, "list": [1, nil, [:]]])
        let raw = try CBORRaw(encoding: value)
        #expect(raw.holdsSecret)
        #expect(try raw.withoutSecrets() == CBORRaw(encoding: value.withoutSecrets))
        #expect(CBORValue.secret(Secret(1)).withoutSecrets.isNull)
    }

    @Test("The bytes of the tag in a text, in bytes or in a number are no secret")
    func notSecret() throws {
        for item: CBORValue in [
            .bytes([0xd9, 0x97, 0x73]), .int(0x9773), ["a": .bytes([0x97, 0x73, 0xd9, 0x97, 0x73])], .int(0xd9_9773),
            .array([.bytes([0x97]), .bytes([0x73])]), .bytes([0x97]),
        ] {
            let raw = try CBORRaw(encoding: item)
            #expect(!raw.holdsSecret, "\(item)")
            #expect(try raw.withoutSecrets() == raw)
        }
        // In an indefinite-length string and in a container of indefinite length.
        #expect(!SecretTag.isIn(bytes(hexadecimal: "5f 43 d99773 42 9773 ff")[...]))
        #expect(SecretTag.isIn(bytes(hexadecimal: "9f 5f 43 d99773 ff bf 01 d99773 02 ff ff")[...]))
        // What is cut off may hold one.
        #expect(SecretTag.isIn(bytes(hexadecimal: "82 59 ffff 9773")[...]))
    }
}
