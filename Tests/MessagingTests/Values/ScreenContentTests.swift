import Messaging
import FoundationEssentials
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ScreenContentTests {
    @Test func `A secret value is never shown`() throws {
        let secret = "tr0ub4dor"
        let field = ScreenContent.Field(name: "password", label: "Password", value: secret, isSecret: true)
        let content = ScreenContent(title: "Login", fields: [field])
        var dumped = ""
        dump(content, to: &dumped)
        dump(field, to: &dumped)
        let json = String(decoding: try JSONEncoder().encode(content), as: UTF8.self)
        for text in ["\(content)", "\(field)", "\([field])", String(reflecting: content), dumped, json] {
            #expect(!text.contains(secret))
            #expect(text.contains("assword"))
        }
        #expect(field.description == "Password: ••••••  (password)")
        #expect(field.value == secret)
    }

    @Test func `A deferred content is made once, when it is read, and not to compare its copies`() {
        let made = Mutex(0)
        let content = ScreenContent(deferred: {
            made.withLock { $0 += 1 }
            return ScreenContent(title: "Late", texts: ["one"])
        })
        var copy = content
        #expect(copy == content)
        #expect(made.withLock { $0 } == 0)
        copy.texts.append("two")
        #expect(content == ScreenContent(title: "Late", texts: ["one"]))
        #expect(copy == ScreenContent(title: "Late", texts: ["one", "two"]))
        #expect(made.withLock { $0 } == 1)
    }

    @Test func `The length of a secret is hidden, but an empty secret is visible as empty`() {
        let empty = ScreenContent.Field(name: "p", isSecret: true)
        let long = ScreenContent.Field(name: "p", value: String(repeating: "x", count: 40), isSecret: true)
        let short = ScreenContent.Field(name: "p", value: "x", isSecret: true)
        #expect(empty.description == "p:   (p)")
        #expect(long.description == short.description)
    }

    @Test func `Content is equal after encoding and decoding, except for secrets`() throws {
        let content = ScreenContent(
            title: "t", texts: ["x"], items: [.init(id: "1", title: "i", detail: "d", action: "go")],
            fields: [.init(name: "open", value: "v"), .init(name: "hidden", value: "s", isSecret: true)],
            actions: [.init(name: "go", label: "Go", isEnabled: false)])
        var expected = content
        expected.fields[1].value = ""
        #expect(try JSONDecoder().decode(ScreenContent.self, from: JSONEncoder().encode(content)) == expected)
    }

    @Test func `Labels default to names`() {
        #expect(ScreenContent.Action(name: "save").label == "save")
        #expect(ScreenContent.Field(name: "user").label == "user")
    }

    @Test func `The available actions are listed once each`() {
        let content = ScreenContent(
            items: [
                .init(id: "1", title: "", action: "open"), .init(id: "2", title: "", action: "open"),
                .init(id: "3", title: "", action: "off"), .init(id: "4", title: ""),
            ],
            actions: [.init(name: "save"), .init(name: "off", isEnabled: false)])
        #expect(content.availableActions == ["save", "open"])
        #expect(throws: Never.self) { try content.check(action: "open") }
        #expect(throws: ScreenActionError.disabledAction("off", available: ["save", "open"])) {
            try content.check(action: "off")
        }
        #expect(throws: ScreenActionError.unknownAction("close", available: ["save", "open"])) {
            try content.check(action: "close")
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct ScreenActionErrorTests {
    @Test func `The error lists the available actions`() {
        #expect(
            ScreenActionError.unknownAction("x", available: ["a", "b"]).description
                == "there is no action 'x' here; there is: a, b")
        #expect(
            ScreenActionError.disabledAction("x", available: []).description
                == "the action 'x' is not available now; nothing can be done here")
    }

    @Test func `The error says of each field what it takes`() {
        let sentences = ["Price: 'x' is not a number", "Floor: 'attic' is not one of its choices"]
        #expect(
            ScreenActionError.wrongEntries(sentences).description
                == "Price: 'x' is not a number; Floor: 'attic' is not one of its choices")
    }
}
