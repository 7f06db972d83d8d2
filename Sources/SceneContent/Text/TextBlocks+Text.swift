import Messaging

extension SectionBlock {
    func lines(_ form: TextForm) -> [TextLine] { TextLine.heading(title, rule: "-", width: form.width) }
}

extension TextLine {
    /// A heading with a rule below it.
    static func heading(_ title: String, rule: Character, width: Int) -> [TextLine] {
        let lines = lines(title, width: width, .heading)
        let columns = lines.map(\.text.displayWidth).max() ?? 0
        return lines + [TextLine(String(repeating: rule, count: columns), .faint)]
    }
}

extension TextBlock {
    func lines(_ form: TextForm) -> [TextLine] {
        let tone = level?.tone ?? (size == .large ? .heading : .plain)
        return TextLine.lines(level.prefix + text, width: form.width, tone)
    }
}

extension TextBlock.Level {
    /// How a line of this level is drawn.
    var tone: TextLine.Tone {
        switch self {
        case .note: .plain
        case .good: .good
        case .warning: .warning
        case .error: .error
        }
    }

    /// What stands before a cell of this level, where there is no room for a word.
    var sign: String {
        switch self {
        case .note: "i"
        case .good: "✓"
        case .warning: "!"
        case .error: "×"
        }
    }
}

extension TextBlock.Level? {
    /// The word that stands before a text of this level; empty without one.
    var prefix: String { map { "\($0.rawValue): " } ?? "" }
}

extension FactsBlock {
    func lines(_ form: TextForm) -> [TextLine] {
        let widest = facts.map { $0.label.printable.displayWidth }.max() ?? 0
        let columns = min(widest, form.width / 2 - 2)
        return facts.flatMap { fact in
            let label = "\(fact.label.printable.cut(to: columns)):".padded(to: columns + 2)
            return TextLine.lines(label + fact.value.text, width: form.width, indent: columns + 2)
        }
    }
}

extension LinkBlock {
    func lines(_ form: TextForm) -> [TextLine] { TextLine.lines("\(label) <\(address)>", width: form.width) }
}
