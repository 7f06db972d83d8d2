import OperatorKit
import SceneContent
import Testing

/// What is typed is passed on to a scene that others use, over a link that may be lost.
extension SceneFormTests {
    /// The search field as the scene says it now.
    private mutating func show(_ value: String, isLive: Bool = true) {
        form.show(Self.desk(search: value), isLive: isLive)
    }

    private static func desk(search value: String) -> SceneLayers {
        var search = search
        search.value = value
        return layers(("search", search.node), ("pin", pin.node), ("find", find.node), ("close", close.node))
    }

    /// What the search field shows.
    private var text: String? {
        for case (_, .field(let field)) in form.layer?.blocks ?? [] where field.name == "search" {
            return form.value(of: field)
        }
        return nil
    }

    private mutating func takeDraft() throws -> SceneDraft {
        let draft = form.takeTyped()
        return try #require(draft)
    }

    private static let given = "the field 'Search' was changed meanwhile; Ctrl-Y there brings back what you typed"

    @Test("What could not be passed on is passed on again, and what has arrived is not")
    mutating func again() throws {
        type("er")
        let draft = try takeDraft()
        #expect(!form.hasTyped)
        form.finish(draft, error: "the host is away")
        // It passes by itself.
        #expect(form.status == nil)
        #expect(form.hasTyped)
        let second = try takeDraft()
        #expect(second == draft)
        form.finish(second, error: nil)
        #expect(form.takeTyped() == nil)
        #expect(text == "older")
    }

    @Test("What is typed while something is on its way is passed on after it, also if it is what the scene still shows")
    mutating func back() throws {
        type("er")
        let draft = try takeDraft()
        _ = press(.backspace, .backspace)
        #expect(form.takeTyped()?.fields == ["search": "old"])
        form.finish(draft, error: nil)
        // Its own word, which comes late, is no other one's.
        show("older")
        #expect(text == "old")
        show("old")
        #expect(text == "old")
        show("Eve")
        #expect(text == "Eve")
    }

    @Test("What the scene does not take is said, and is not passed on again until it is changed")
    mutating func refused() throws {
        type("er")
        form.finish(try takeDraft(), error: "shorten the text", isRefusal: true)
        #expect(form.status?.text == "'Search' cannot be passed on: shorten the text")
        #expect(form.takeTyped() == nil)
        type("!")
        #expect(form.status == nil)
        #expect(form.takeTyped()?.fields == ["search": "older!"])
    }

    @Test("The refusal of what was typed on another screen says nothing on this one")
    mutating func refusedElsewhere() throws {
        type("er")
        let draft = try takeDraft()
        form.show(Self.layers(key: "sheet"))
        form.finish(draft, error: "the scene shows another screen now", isRefusal: true)
        #expect(form.status == nil)
        form.show(Self.desk)
        #expect(form.takeTyped() == draft)
    }

    @Test("A text that could not be passed on gives way to what another has written meanwhile, and can be brought back")
    mutating func givesWay() throws {
        type("er")
        form.finish(try takeDraft(), error: "the host is away")
        show("Eve")
        #expect(text == "Eve")
        #expect(form.status?.text == Self.given)
        #expect(form.takeTyped() == nil)
        // Whoever types on still reads it.
        type("!")
        #expect(form.status?.text == Self.given)
        #expect(text == "Eve!")
        _ = press(.control("y"))
        #expect(form.status == nil)
        #expect(text == "older")
        #expect(form.takeTyped()?.fields == ["search": "older"])
    }

    @Test("It gives way also if the other one's text was seen before it was known that it did not arrive")
    mutating func givesWayLate() throws {
        type("er")
        let draft = try takeDraft()
        show("Eve")
        #expect(text == "older")
        form.finish(draft, error: "the host is away")
        #expect(text == "Eve")
        #expect(form.status?.text == Self.given)
    }

    @Test("A text that arrived although no answer came is not taken for another one's")
    mutating func arrived() throws {
        type("er")
        form.finish(try takeDraft(), error: "no answer")
        type("!")
        show("older")
        #expect(text == "older!")
        #expect(form.status == nil)
        #expect(form.takeTyped()?.fields == ["search": "older!"])
    }

    @Test("While the scene does not run nothing is passed on, and what it says afterwards is newer")
    mutating func away() throws {
        show("old", isLive: false)
        type("er")
        #expect(!form.hasTyped && form.takeTyped() == nil)
        show("old")
        #expect(form.takeTyped()?.fields == ["search": "older"])
        var other = SceneForm()
        other.show(Self.desk(search: "old"))
        _ = other.handle(.text("!"))
        other.show(Self.desk(search: "old"), isLive: false)
        _ = other.handle(.text("!"))
        other.show(Self.desk(search: "Eve"))
        #expect(other.status?.text == Self.given)
        #expect(other.takeTyped() == nil)
    }

    @Test("With the link whole, whoever types last has the last word")
    mutating func live() throws {
        type("er")
        show("Eve")
        #expect(text == "older")
        #expect(form.takeTyped()?.fields == ["search": "older"])
        #expect(form.status == nil)
    }

    @Test("What the scene makes of a text does not change it under its writer's hands, and is not overwritten by it")
    mutating func normalized() throws {
        type(" ")
        form.finish(try takeDraft(), error: nil)
        show("OLD")
        #expect(text == "old ")
        #expect(try submission(.enter).fields == [:])
        _ = press(.tab)
        show("OLD")
        #expect(text == "OLD")
    }

    @Test("An action sends what was typed and the scene does not say yet, and nothing else")
    mutating func submitted() throws {
        let first = try submission(.enter)
        #expect(first.fields == [:])
        form.finish(first, error: nil)
        type("er")
        #expect(form.takeTyped() != nil)
        show("older")
        let second = try submission(.enter)
        #expect(second.fields == [:])
        form.finish(second, error: nil)
        type("!")
        let third = try submission(.enter)
        #expect(third.fields == ["search": "older!"])
        // It is on its way already.
        #expect(form.takeTyped() == nil)
    }

    @Test("What was sent with an action that got no answer gives way to what another has written meanwhile")
    mutating func actionUnanswered() throws {
        type("er")
        let submission = try submission(.enter)
        show("Eve")
        #expect(text == "older")
        form.finish(submission, error: "no answer")
        #expect(text == "Eve")
        #expect(form.status?.text == "no answer; \(Self.given)")
    }

    @Test("What was sent with an action that was refused stays, whatever the action has made of it")
    mutating func actionRefused() throws {
        type("er")
        let submission = try submission(.enter)
        show("OLDER")
        form.finish(submission, error: "no such guest", isRefusal: true)
        #expect(text == "older")
        #expect(form.status?.text == "no such guest")
    }

    @Test("Who leaves is told what the scene does not have, but for what is private")
    mutating func unsent() throws {
        #expect(form.unsent.isEmpty)
        type("er")
        _ = press(.tab)
        type("4711")
        #expect(form.unsent.map(\.label) == ["Search"])
        #expect(form.unsent.map(\.text) == ["older"])
        form.finish(try takeDraft(), error: nil)
        #expect(form.unsent.isEmpty)
    }
}
