import CBOR
import OperatorKit
import SceneContent
import Testing

/// What is typed into fields, and what becomes of it.
extension SceneFormTests {
    @Test("What was typed stays when the content changes, and for each layer by itself")
    mutating func kept() {
        type("er")
        var other = Self.search
        other.value = "new"
        form.show(Self.layers(("other", TextBlock("x").node), ("search", other.node)))
        #expect(form.value(of: other) == "older")
        form.show(Self.layers(key: "sheet", ("search", other.node)))
        #expect(form.value(of: other) == "new")
        form.show(Self.desk)
        #expect(form.value(of: Self.search) == "older")
    }

    @Test("What the scene says itself is not kept as typed, so that the scene can change it later")
    mutating func taken() {
        type("er")
        _ = press(.tab)
        var search = Self.search
        for value in ["older", "newer"] {
            search.value = value
            form.show(Self.layers(("search", search.node), ("pin", Self.pin.node)))
            #expect(form.value(of: search) == value)
        }
    }

    @Test(
        "What the scene has taken over while its field had the focus gives way to what the scene says later",
        arguments: [true, false])
    mutating func newer(staysInField: Bool) throws {
        type("er")
        _ = form.takeTyped()
        var search = Self.search
        search.value = "older"
        form.show(Self.layers(("search", search.node), ("pin", Self.pin.node), ("find", Self.find.node)))
        if !staysInField { _ = press(.tab) }
        search.value = "Eve's"
        form.show(Self.layers(("search", search.node), ("pin", Self.pin.node), ("find", Self.find.node)))
        #expect(form.value(of: search) == "Eve's")
        #expect(form.takeTyped() == nil)
        #expect(try submission(.enter).fields["search"] != "older")
    }

    @Test("What was sent with success gives way to what the scene says, unless it was changed since")
    mutating func sent() throws {
        type("er")
        _ = press(.tab)
        type("4711")
        let submission = try submission(.enter)
        type("0")
        form.finish(submission, error: nil)
        #expect(form.value(of: Self.search) == "old")
        #expect(form.value(of: Self.pin) == "47110")
    }

    @Test("A secret is forgotten with its layer, and never becomes another field's text")
    mutating func secret() {
        _ = press(.tab)
        type("4711")
        form.show(Self.layers(("pin", FieldBlock(name: "pin", label: "PIN", value: "shown").node)))
        #expect(form.value(of: FieldBlock(name: "pin", label: "PIN", value: "shown")) == "shown")
        form.show(Self.desk)
        #expect(form.value(of: Self.pin) == "4711")
        form.show(Self.layers(key: "sheet"))
        form.show(Self.desk)
        #expect(form.value(of: Self.pin) == "")
    }

    @Test("A toggle is switched by the space bar, and a choice by left and right")
    mutating func kinds() {
        let toggle = FieldBlock(name: "on", label: "On", kind: .toggle, value: "true")
        let choice = FieldBlock(
            name: "size", label: "Size", kind: .choice, value: "s", choices: [.init("s"), .init("m"), .init("l")])
        form.show(Self.layers(key: "kinds", ("on", toggle.node), ("size", choice.node)))
        _ = press(.text(" "), .text("x"))
        #expect(form.value(of: toggle) == "")
        _ = press(.text(" "))
        #expect(form.value(of: toggle) == "true")
        _ = press(.tab, .left)
        #expect(form.value(of: choice) == "s")
        _ = press(.right, .right, .right)
        #expect(form.value(of: choice) == "l")
    }

    @Test("Enter in a text of several lines is a line feed, and a pasted one performs nothing anywhere")
    mutating func lines() {
        let note = FieldBlock(name: "note", label: "Note", kind: .lines)
        form.show(
            Self.layers(
                key: "note", ("note", note.node), ("search", FieldBlock(name: "s", label: "S").node),
                ("find", Self.find.node)))
        type("a")
        #expect(press(.enter) == nil)
        #expect(press(.paste("b\nc")) == nil)
        #expect(form.value(of: note) == "a\nb\nc")
        _ = press(.tab)
        #expect(press(.paste("b\nc")) == nil)
        #expect(form.value(of: FieldBlock(name: "s", label: "S")) == "b c")
    }

    @Test("A text that has no room is said, and leaves the field as it is")
    mutating func room() {
        #expect(press(.paste(String(repeating: "x", count: ContentBounds.text))) == nil)
        #expect(form.status?.text == "there is no room for that: a field takes at most 16384 bytes")
        #expect(form.value(of: Self.search) == "old")
    }
}
