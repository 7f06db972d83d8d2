import SceneContent

/// All lines of a scene's layer that takes input, as they are drawn with what has been typed.
struct ScenePicture: Sendable {
    /// A block whose lines depend on nothing else but the width.
    private struct DrawnBlock {
        let block: ContentBlock
        let lines: [TextLine]
    }

    private(set) var lines: [TextLine] = []
    /// The lines of the part with the focus; `nil` if none has it.
    private(set) var focus: Range<Int>?
    /// The caret, with its line among all lines; `nil` for none.
    private(set) var caret: TerminalScreen.Place?
    private var text = TextForm(width: 0)
    /// The blocks by their keys, so that a key that is pressed costs no more than the field that it changes.
    private var drawn: [String: DrawnBlock] = [:]

    init() {}

    /// Draws a layer.
    /// - Parameter old: the picture before, from which the blocks are taken that have not changed.
    init(_ layers: SceneLayers, _ form: SceneForm, width: Int, after old: ScenePicture) {
        text = TextForm(width: width, showsNames: false)
        guard let layer = form.layer else {
            lines = [TextLine("The scene shows nothing yet.", .faint)]
            return
        }
        let known = old.text == text ? old.drawn : [:]
        var caretOfFocus: TerminalScreen.Place?
        lines = layer.lines(text, over: layers.below, blocks: form.blocks) { key, block in
            if case .field(let field) = block {
                let drawn = field.drawn(
                    form.input(of: field), hasFocus: form.focus == .block(key), key: key, width: text.width)
                if let caret = drawn.caret { caretOfFocus = caret }
                return drawn.lines
            }
            if let before = known[key], before.block == block {
                drawn[key] = before
                return before.lines
            }
            let lines = block.lines(text, key: key)
            drawn[key] = DrawnBlock(block: block, lines: lines)
            return lines
        }
        guard let part = form.focus, let first = lines.firstIndex(where: { $0.part == part }) else { return }
        focus = first..<first + lines[first...].prefix { $0.part == part }.count
        caret = caretOfFocus.map { TerminalScreen.Place(row: first + $0.row, column: $0.column) }
    }
}
