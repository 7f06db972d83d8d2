import CBOR
import Messaging
import Testing

@testable import Bus

/// What a person has typed into the fields of a scene.
@Suite(.timeLimit(.minutes(5)))
struct ActionFieldsTests {
    @Test func `Texts are a map as before, and secrets have their tag`() throws {
        let plain: ActionFields = ["b": "2", "a": "1"]
        #expect(try CBOREncoder().encode(plain) == CBOREncoder().encode(["a": "1", "b": "2"]))
        let fields = ActionFields(["user": "ada"], secrets: ["pin": Secret("difference")])
        let bytes = try CBOREncoder().encode(fields)
        #expect(try CBORValue(decoding: bytes) == ["pin": .secret(Secret("difference")), "user": "ada"])
        #expect(try CBORDecoder().decode(ActionFields.self, from: bytes) == fields)
        #expect(try CBORDecoder().decode([String: String].self, from: bytes) == fields.revealed)
        #expect(fields.revealed == ["user": "ada", "pin": "difference"])
        #expect(!"\(fields) \(String(reflecting: fields))".contains("difference"))
        #expect(ActionFields(["a": "1"], secrets: ["a": Secret("2")]).revealed == ["a": "2"])
    }

    @Test func `A value that is no text is refused with the field's name, and is not quoted`() throws {
        for value in [.int(98_765), .secret(Secret(98_765)), ["98765"], nil] as [CBORValue] {
            let bytes = try CBOREncoder().encode(["pin": value])
            let error = #expect(throws: DecodingError.self) {
                try CBORDecoder().decode(ActionFields.self, from: bytes)
            }
            let text = error.map { String(explaining: $0) } ?? ""
            #expect(text.contains("'pin'") && !text.contains("98765"), "\(text)")
        }
    }

    @Test func `A hello lists the secret fields of its messages`() {
        for secret in [
            HelloSecret(message: "mailConnect", field: SecretField("pin")),
            HelloSecret(message: "mail.v2.connect", field: SecretField("pin", isOptional: true)),
        ] {
            let read = HelloSecret(secret.text)
            #expect(read?.message == secret.message)
            #expect(read?.field == secret.field)
        }
        for text in ["", "mailConnect", ".pin", "mailConnect.", "mailConnect.?", "."] {
            #expect(HelloSecret(text) == nil, "\(text)")
        }
        let hello = Hello(
            role: .plugin, peer: "mail", pid: 1, endpoint: "", handles: ["a", "b"],
            secrets: ["a.x", "b.y", "?", "a.z?"])
        #expect(hello.secretFields(of: "a") == [SecretField("x"), SecretField("z", isOptional: true)])
        #expect(hello.secretFields(of: "c") == [])
        #expect(hello.excess == nil)
        var many = hello
        many.secrets = Array(repeating: "a.x", count: Hello.maximumNames + 1)
        #expect(many.excess?.contains("secret fields") == true)
    }
}
