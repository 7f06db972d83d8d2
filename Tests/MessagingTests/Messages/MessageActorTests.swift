import Messaging
import Testing

/// Who acts, as a text of the bus.
@Suite(.timeLimit(.minutes(5)))
struct MessageActorTests {
    @Test(arguments: ["desk-7", "desk-\u{D4E}", "Büro-\u{301}1"], [nil, "desk", "d\u{D4E}"])
    func `An actor is what was written, whatever the names are`(peer: String, key: String?) {
        for user in [nil, "anna", "Anna Müller", "operator root", "a\u{301}  b", "anna\u{D4E}"] {
            let actor = MessageActor(role: .operator, peer: peer, key: key, user: user)
            let read = MessageActor(text: actor.text)
            #expect(read?.role == .operator)
            // Not as characters: two that are equal can have other bytes.
            #expect(read.map { Array($0.peer.utf8) } == Array(peer.utf8))
            #expect(read?.key.map { Array($0.utf8) } == key.map { Array($0.utf8) })
            #expect(read?.user.map { Array($0.utf8) } == user.map { Array($0.utf8) })
        }
    }

    @Test(arguments: ["", "operator", "operator ", "nobody desk", "operator desk ", "operator desk desk "])
    func `Another text is no actor`(text: String) {
        #expect(MessageActor(text: text) == nil)
    }

    @Test(arguments: [
        "anna", "Anna Müller", "日本", "7", "anna@example.org", "O'Neil", "Jose\u{301}",
        String(repeating: "x", count: 64),
    ])
    func `A user has any name that one can see`(name: String) {
        #expect(MessageActor.problem(withUser: name) == nil)
        #expect(MessageActor(role: .plugin, peer: "console", user: name).problem == nil)
    }

    @Test func `An actor has at most 255 bytes`() {
        let user = String(repeating: "x", count: 64)
        let long = String(repeating: "y", count: 100)
        #expect(
            MessageActor(role: .operator, peer: long, key: String(repeating: "y", count: 80), user: user).problem == nil
        )
        #expect(MessageActor(role: .operator, peer: long, key: long, user: user).problem?.contains("too many") == true)
    }
}
