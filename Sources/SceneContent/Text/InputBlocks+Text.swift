import Messaging

extension FieldBlock {
    /// The value as it may be shown: nothing of a secret, and the label of a choice.
    package func shown(_ value: String) -> String {
        switch kind {
        case .secret: ""
        case .toggle: isOn(value) ? "yes" : "no"
        case .choice: choices.first { $0.value == value }?.label ?? value
        case .text, .lines, .number, .date, .time: value
        }
    }

    /// Whether a value of a toggle means that it is on.
    package func isOn(_ value: String) -> Bool { !value.isEmpty && value != "false" }

    func lines(_ form: TextForm, key: String) -> [TextLine] {
        let part = TextLine.Part.block(key)
        let value = shown(value)
        let name = form.showsNames ? "  (\(name)\(isRequired ? ", required" : ""))" : ""
        var lines: [TextLine]
        if value.plainLines.count > 1 {
            lines = TextLine.lines("\(label):\(name)", width: form.width, indent: 2, part: part)
            lines += TextLine.lines(value, width: form.width - 2).map { TextLine("  " + $0.text, part: part) }
        } else {
            lines = TextLine.lines("\(label): \(value)\(name)", width: form.width, indent: 2, part: part)
        }
        if form.showsNames, kind == .choice, !choices.isEmpty {
            let values = choices.map(\.value).joined(separator: ", ")
            lines += TextLine.lines("  one of: \(values)", width: form.width, indent: 4, .faint, part: part)
        }
        return lines + notes(form, key: key)
    }

    /// The lines below the field: what helps to fill it in, and why its value cannot be taken.
    package func notes(_ form: TextForm, key: String) -> [TextLine] {
        let part = TextLine.Part.block(key)
        var lines: [TextLine] = []
        if !hint.isEmpty { lines += TextLine.lines("  \(hint)", width: form.width, indent: 2, .faint, part: part) }
        if !error.isEmpty {
            lines += TextLine.lines("  error: \(error)", width: form.width, indent: 2, .error, part: part)
        }
        return lines
    }
}

extension ActionBlock {
    func lines(_ form: TextForm, key: String) -> [TextLine] {
        let text = form.showsNames ? "[\(name)] \(label)" : "[ \(label) ]"
        guard unavailable == nil else {
            return TextLine.lines(text + unavailableText, width: form.width, indent: 2, .faint)
        }
        let tone: TextLine.Tone =
            switch style {
            case .plain: .plain
            case .main: .main
            case .destructive: .destructive
            }
        return TextLine.lines(text, width: form.width, indent: 2, tone, part: .block(key))
    }

    /// What is written after the label of an action that cannot be performed; empty if it can.
    private var unavailableText: String {
        switch unavailable {
        case nil: ""
        // A plain screen gives no reason.
        case "": "  (not available)"
        case let reason?: "  (not available: \(reason))"
        }
    }
}
