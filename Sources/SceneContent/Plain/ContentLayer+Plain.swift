public import Messaging

/// Plain contents, for screens that are written as such and for surfaces that show no blocks.
extension ScreenContent {
    /// The content as blocks, each with its key.
    public var blocks: [(key: String, node: ContentNode)] {
        var blocks: [(key: String, node: ContentNode)] = []
        for (index, text) in texts.enumerated() { blocks.append(("text.\(index)", TextBlock(text).node)) }
        if !items.isEmpty {
            let rows = items.map { ListBlock.Row(key: $0.id, title: $0.title, detail: $0.detail, action: $0.action) }
            blocks.append(("list", ListBlock(rows).node))
        }
        for field in fields {
            let block = FieldBlock(
                name: field.name, label: field.label, kind: field.isSecret ? .secret : .text,
                value: field.isSecret ? "" : field.value)
            blocks.append(("field.\(field.name)", block.node))
        }
        for action in actions {
            let block = ActionBlock(
                name: action.name, label: action.label, unavailable: action.isEnabled ? nil : "")
            blocks.append(("action.\(action.name)", block.node))
        }
        return blocks
    }

    /// Makes the plain form of blocks. A table's row is an item with its first cell as the title.
    public init(title: String, blocks: [ContentBlock]) {
        var parts = PlainParts()
        for block in blocks { parts.add(block) }
        self.init(title: title, texts: parts.texts, items: parts.items, fields: parts.fields, actions: parts.actions)
    }
}

/// The parts of a plain content while it is made. A content copies all that it has when one is added.
private struct PlainParts {
    var texts: [String] = []
    var items: [ScreenContent.Item] = []
    var fields: [ScreenContent.Field] = []
    var actions: [ScreenContent.Action] = []

    mutating func add(_ block: ContentBlock) {
        switch block {
        case .section(let section): texts.append(section.title)
        case .text(let text): texts.append(text.text)
        case .facts(let block): texts += block.facts.map { "\($0.label): \($0.value.text)" }
        case .list(let list):
            if list.rows.isEmpty, !list.placeholder.isEmpty { texts.append(list.placeholder) }
            items += list.rows.map { row in
                let detail = [row.detail, row.badge].filter { !$0.isEmpty }.joined(separator: "  ")
                return ScreenContent.Item(id: row.key, title: row.title, detail: detail, action: row.action)
            }
        case .table(let table):
            if table.rows.isEmpty, !table.placeholder.isEmpty { texts.append(table.placeholder) }
            items += table.rows.map { row in
                let cells = row.cells.map(\.text)
                return ScreenContent.Item(
                    id: row.key, title: cells.first ?? row.key,
                    detail: cells.dropFirst().filter { !$0.isEmpty }.joined(separator: "  "), action: row.action)
            }
        case .meter(let meter): texts.append(meter.text)
        case .chart(let chart): texts.append(chart.text)
        case .image(let image): texts.append(image.alternative)
        case .field(let field):
            fields.append(
                ScreenContent.Field(
                    name: field.name, label: field.label, value: field.value, isSecret: field.kind == .secret))
        case .action(let action):
            actions.append(
                ScreenContent.Action(
                    name: action.name, label: action.label, isEnabled: action.unavailable == nil))
        case .link(let link): texts.append("\(link.label) <\(link.address)>")
        case .other(let text): texts.append(text)
        }
    }
}
