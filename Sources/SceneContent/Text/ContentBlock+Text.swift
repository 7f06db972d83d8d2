extension ContentBlock {
    /// The block as text for a terminal, without anything that could act on it.
    /// - Parameter width: the columns of a line, at least 10.
    public func text(width: Int = 80) -> String {
        lines(TextForm(width: width), key: "").map(\.text).joined(separator: "\n")
    }

    /// The lines of the block.
    /// - Parameter key: the block's key in its layer.
    package func lines(_ form: TextForm, key: String) -> [TextLine] {
        switch self {
        case .section(let block): block.lines(form)
        case .text(let block): block.lines(form)
        case .facts(let block): block.lines(form)
        case .list(let block): block.lines(form, key: key)
        case .table(let block): block.lines(form, key: key)
        case .meter(let block): block.lines(form)
        case .chart(let block): block.lines(form)
        case .image(let block): block.lines(form)
        case .field(let block): block.lines(form, key: key)
        case .action(let block): block.lines(form, key: key)
        case .link(let block): block.lines(form)
        case .other(let text): TextLine.lines(text, width: form.width)
        }
    }

    /// Whether no empty line separates the block from the one before it.
    package func follows(_ block: ContentBlock) -> Bool {
        switch (block, self) {
        case (.section, _), (.field, .field), (.action, .action), (.meter, .meter), (.link, .link): true
        default: false
        }
    }
}
