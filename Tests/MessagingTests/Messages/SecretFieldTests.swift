import CBOR
import Messaging
import Testing

private typealias Pin = Secret<Int>

@ResponderMessages
private protocol VaultMessages {
    func vaultOpen(user: String, _ pin: Pin, with spare: Messaging.Secret<String>?, note: String?) async throws
    func vaultClose(user: String) async throws
    func vaultShout(word: Secret<[String]>)
}

extension ResponderChain: VaultMessages {}

/// What a message says of its secrets.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct SecretFieldTests {
    @Test func `A message knows which of its fields are secrets, whatever their types are called`() {
        #expect(
            VaultMessagesList.vaultOpen.secretFields == [SecretField("pin"), SecretField("with", isOptional: true)])
        #expect(VaultMessagesList.vaultClose.secretFields == [])
        #expect(VaultMessagesList.vaultShout.secretFields == [SecretField("word")])
        let registry = MessageRegistry()
        registry.add(VaultMessagesList.self)
        #expect(registry.secretFields(of: "vaultShout") == [SecretField("word")])
        #expect(registry.secretFields(of: "vaultUnknown") == [])
    }

    @Test func `A message with secrets survives a round trip and shows none`() throws {
        for spare in [Secret("difference"), nil] {
            let message = VaultMessagesList.vaultOpen(user: "ada", pin: Secret(98_765), with: spare, note: nil)
            let bytes = try CBOREncoder().encode(message)
            let read = try CBORDecoder().decode(VaultMessagesList.vaultOpen.self, from: bytes)
            #expect(read.pin == message.pin && read.with == spare && read.user == "ada")
            for text in ["\(message)", String(reflecting: message), "\(try CBORValue(decoding: bytes))"] {
                #expect(!text.contains("98765") && !text.contains("difference"), "\(text)")
            }
            // From a peer that knows no secrets.
            let plain = try CBOREncoder().encode(
                ["user": "ada", "pin": 98_765, "with": spare.map { CBORValue.string($0.revealed) } ?? .null]
                    as CBORValue)
            #expect(try CBORDecoder().decode(VaultMessagesList.vaultOpen.self, from: plain).pin == message.pin)
        }
    }

    @Test func `The error of a message whose secret cannot be read does not quote it`() async throws {
        let registry = MessageRegistry()
        registry.add(VaultMessagesList.self)
        let post = try #require(registry.post("vaultShout"))
        let remote = MessageContext.Remote(sender: "Far", session: "s1", requestID: 1, trace: .none, token: 1)
        for value in [Secret("difference"), "difference"] as [any Encodable] {
            let payload = try CBOREncoder().encode(["word": CBORRaw(encoding: value)])
            let error = #expect(throws: MessageError.self) { try post(payload[...], (nil as Responder?).chain, remote) }
            let detail = try #require(error?.detail)
            #expect(detail.hasPrefix("the field 'word' is wrong: The secret is not "), "\(detail)")
            #expect(!detail.contains("difference"), "\(detail)")
        }
    }
}
