import SceneContent

extension FieldBlock {
    /// Changes the text of a field that takes one.
    /// - Returns: whether there was room.
    func type(_ input: inout TextInput, _ key: TerminalKey) -> Bool {
        switch key {
        case .text(let text): return input.insert(text)
        case .paste(let text): return input.insert(text, hasLines: kind == .lines)
        case .enter: return input.insert("\n", hasLines: kind == .lines)
        case .left: input.moveLeft()
        case .right: input.moveRight()
        case .home, .control("a"): input.moveToStart()
        case .end, .control("e"): input.moveToEnd()
        case .backspace: input.deleteBefore()
        case .delete, .control("d"): input.deleteAfter()
        case .control("u"): input.deleteToStart()
        case .control("w"): input.deleteWord()
        default: break
        }
        return true
    }

    /// Switches a toggle with the space bar.
    func toggle(_ input: inout TextInput, _ key: TerminalKey) {
        guard key == .text(" ") else { return }
        input = TextInput(isOn(input.text) ? "" : "true")
    }

    /// Takes the choice before or after the present one.
    func choose(_ input: inout TextInput, _ key: TerminalKey) {
        let present = choices.firstIndex { $0.value == input.text }
        let next: Int
        switch key {
        case .right, .text(" "): next = present.map { $0 + 1 } ?? 0
        case .left: next = present.map { $0 - 1 } ?? choices.count - 1
        default: return
        }
        guard choices.indices.contains(next) else { return }
        input = TextInput(choices[next].value)
    }
}
