/// What a person has done on the keyboard of a terminal.
package enum TerminalKey: Hashable, Sendable {
    /// A character, or a part of one: a mark that is typed after its letter is a key of its own.
    case text(String)
    /// What was pasted. It has no meaning as keys, so that a line feed in it performs nothing.
    case paste(String)
    /// A letter together with Ctrl, such as `u`.
    case control(Character)
    case enter, tab, backTab, escape, backspace, delete
    case up, down, left, right, home, end, pageUp, pageDown
}
