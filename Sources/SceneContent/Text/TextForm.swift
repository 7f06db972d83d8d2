import Messaging

/// How a content is written as text.
package struct TextForm: Hashable, Sendable {
    /// The columns of a line, at least 10.
    package let width: Int
    /// Whether the names are written with which a command acts: the keys of rows, and the names of fields and actions.
    package let showsNames: Bool

    package init(width: Int, showsNames: Bool = true) {
        self.width = max(width, 10)
        self.showsNames = showsNames
    }
}

/// A line of a content's text form, with what a surface needs to draw it and to act in it.
package struct TextLine: Hashable, Sendable {
    /// What a line means, so that a surface can draw it accordingly.
    package enum Tone: Sendable {
        case plain, heading, faint, good, warning, error, main, destructive
    }

    /// A part of a layer that can have the focus of the keyboard.
    package enum Part: Hashable, Sendable {
        /// A tab, by the name of its action.
        case tab(String)
        /// A field or an action, by the key of its block.
        case block(String)
        /// A row that can be selected, by the key of its block and its own.
        case row(block: String, key: String)
    }

    /// The text, in which nothing acts on a terminal.
    package let text: String
    package let tone: Tone
    /// The part to which the line belongs; `nil` if it has none that can have the focus.
    package let part: Part?

    package init(_ text: String, _ tone: Tone = .plain, part: Part? = nil) {
        self.text = text.printable
        self.tone = tone
        self.part = part
    }

    /// The lines of a text, wrapped.
    /// - Parameter indent: the spaces before each line but the first.
    package static func lines(
        _ text: String, width: Int, indent: Int = 0, _ tone: Tone = .plain, part: Part? = nil
    ) -> [TextLine] {
        text.wrapped(to: width, indent: indent).map { TextLine($0, tone, part: part) }
    }
}
