import Messaging

extension String {
    /// The lines of the text: it is cut at line feeds, and tabs are spaces.
    package var plainLines: [String] {
        var lines: [String] = []
        var line = String.UnicodeScalarView()
        func end() {
            // Texts of other systems have a carriage return before each line feed.
            if line.last == "\r" { line.removeLast() }
            lines.append(String(line).printable)
            line = String.UnicodeScalarView()
        }
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": end()
            case "\t": line.append(" ")
            default: line.append(scalar)
            }
        }
        end()
        return lines
    }

    /// The text in lines of at most a number of columns. A word that is longer than a line is broken.
    /// - Parameter indent: the spaces before each line but the first.
    package func wrapped(to width: Int, indent: Int = 0) -> [String] {
        var wrapping = Wrapping(width: width, indent: indent)
        for line in plainLines { wrapping.add(line) }
        return wrapping.lines
    }
}

/// Wraps paragraphs into lines.
private struct Wrapping {
    private let width: Int
    private let indent: Int
    private(set) var lines: [String] = []
    private var line = ""
    private var columns = 0
    private var spaces = 0
    private var word = ""
    private var wordColumns = 0

    init(width: Int, indent: Int) {
        (self.width, self.indent) = (max(width, 2), max(0, min(indent, width / 2)))
    }

    private var room: Int { width - (lines.isEmpty ? 0 : indent) }

    mutating func add(_ paragraph: String) {
        for character in paragraph {
            if character == " " {
                endWord()
                spaces += 1
                continue
            }
            let columnsOfCharacter = character.displayWidth
            if wordColumns + columnsOfCharacter > width - indent { endWord() }
            word.append(character)
            wordColumns += columnsOfCharacter
        }
        endWord()
        endLine()
    }

    /// Puts the word into the line, or into the next one if it has no room in this one.
    private mutating func endWord() {
        guard !word.isEmpty else { return }
        if columns + spaces + wordColumns > room {
            // The spaces before a word that begins a line are left out.
            if columns > 0 { endLine() }
            spaces = 0
        }
        line += String(repeating: " ", count: spaces) + word
        columns += spaces + wordColumns
        (spaces, word, wordColumns) = (0, "", 0)
    }

    private mutating func endLine() {
        lines.append(lines.isEmpty || line.isEmpty ? line : String(repeating: " ", count: indent) + line)
        (line, columns, spaces) = ("", 0, 0)
    }
}
