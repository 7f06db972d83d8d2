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
        return TextLine.lines((level.map { "\($0.rawValue): " } ?? "") + text, width: form.width, tone)
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
