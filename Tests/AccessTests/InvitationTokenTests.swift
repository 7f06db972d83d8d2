import Access
import Foundation
import Testing
import ZeroMQ

struct InvitationTokenTests {
    private func token() throws -> InvitationToken {
        InvitationToken(
            addresses: ["tcp://192.0.2.7:5570", "tcp://[2001:db8::1]:5570"], host: Keys.key(9), keys: try KeyPair(),
            name: "wall-3", expires: Date(timeIntervalSince1970: 1_800_000_000))
    }

    @Test func `An invitation is one word that a shell leaves as it is, and is read as it was made`() throws {
        let token = try self.token()
        #expect(token.text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        #expect(!token.text.hasPrefix("-"))
        let read = try InvitationToken(token.text)
        #expect(read.addresses == token.addresses)
        #expect(read.host == token.host)
        #expect(read.keys.publicKey == token.keys.publicKey)
        #expect(read.name == token.name)
        #expect(read.expires == token.expires)
        // A mail program may break it.
        #expect(try InvitationToken(" \(token.text.prefix(50))\n  \(token.text.dropFirst(50))\n").name == "wall-3")
    }

    @Test func `An invitation that was cut short or mistyped is found out`() throws {
        let text = try token().text
        for count in 0..<text.count {
            #expect(throws: InvitationToken.Invalid.self) { try InvitationToken(text.prefix(count)) }
        }
        for place in text.indices.dropFirst(10) {
            var other = text
            other.replaceSubrange(place...place, with: text[place] == "A" ? "B" : "A")
            // The last character has bits that say nothing.
            if let read = try? InvitationToken(other) { #expect(read.text == text) }
        }
        let error = #expect(throws: InvitationToken.Invalid.self) { try InvitationToken("hello") }
        #expect(error?.description.contains("scenebus1-") == true)
    }
}
