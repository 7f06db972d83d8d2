import OperatorKit
import SceneContent
import Testing

/// A text that is being typed.
@Suite(.timeLimit(.minutes(5)))
struct TextInputTests {
    @Test("Characters are typed, and deleted on both sides of the caret")
    func typing() {
        var input = TextInput("ab")
        input.insert("東")
        input.moveLeft()
        input.moveLeft()
        input.insert("x")
        #expect(input.text == "axb東")
        #expect(input.before == "ax")
        input.deleteBefore()
        input.deleteAfter()
        #expect(input.text == "a東")
        input.moveToEnd()
        input.deleteToStart()
        #expect(input.text == "")
        input.deleteBefore()
        input.deleteAfter()
        input.moveLeft()
        input.moveRight()
        #expect(input == TextInput(""))
    }

    @Test("A mark that is typed after its letter belongs to it")
    func marks() {
        var input = TextInput("")
        input.insert("e")
        input.insert("\u{301}")
        input.insert("x")
        input.moveLeft()
        input.deleteBefore()
        #expect(input.text == "x")
    }

    @Test("A word is deleted with the spaces after it")
    func word() {
        var input = TextInput("one two  ")
        input.deleteWord()
        #expect(input.text == "one ")
    }

    @Test("What would act on a terminal is left out, and line feeds are spaces in a text of one line")
    func harmless() {
        var input = TextInput("")
        input.insert("a\u{1B}[2J\u{202E}b\r\nc")
        #expect(input.text == "a[2Jb c")
        input.insert("\nd", hasLines: true)
        #expect(input.text == "a[2Jb c\nd")
    }

    @Test("A text that would be too long is not taken")
    func long() {
        var input = TextInput(String(repeating: "x", count: ContentBounds.text))
        input.insert("y")
        #expect(input.text.utf8.count == ContentBounds.text)
    }
}
