import SceneContent

extension HTMLWriter {
    /// Writes a block: one element with the block's key.
    mutating func block(_ node: ContentNode, key: String, in place: LayerPlace) {
        let key = PageKey(key)
        switch ContentBlock(node) {
        case .section(let section):
            element(.h2, .class("block section"), .key(key), .automaticDirection, text: section.title)
        case .text(let text): self.text(text, key: key)
        case .facts(let facts):
            element(.dl, .class("block facts"), .key(key), .rows) { writer in
                for fact in facts.facts { writer.row(fact) }
            }
        case .list(let list): self.list(list, key: key, in: place)
        case .table(let table): self.table(table, key: key, in: place)
        case .meter(let meter): self.meter(meter, key: key)
        case .chart(let chart): self.chart(chart, key: key)
        case .image(let image):
            element(.figure, .class("block image"), .key(key)) { writer in
                // With its size, nothing jumps when it comes.
                writer.void(
                    .img, .source(image.hash, of: place.address), .alternative(image.alternative), .width(image.width),
                    .height(image.height))
            }
        case .field(let field): self.field(field, key: key, in: place)
        case .action(let action): self.action(action, key: key, in: place)
        case .link(let link):
            element(.p, .class("block link"), .key(key)) { writer in
                writer.element(
                    .a, .href(.web(link.address)), .rel("noopener noreferrer external"), .newTab, .automaticDirection,
                    text: link.label.isEmpty ? link.address : link.label)
            }
        case .other(let text):
            element(.p, .class("block text"), .key(key), .automaticDirection, text: text)
        }
    }

    private mutating func text(_ text: TextBlock, key: PageKey) {
        element(
            .p, .class("block text"), .key(key), text.level.map { .level($0.name) }, text.size == .large ? .large : nil
        ) { writer in
            writer.spoken(text.level)
            writer.isolated(text.text)
        }
    }

    /// Writes what a level means for those who see neither its colour nor its sign.
    mutating func spoken(_ level: TextBlock.Level?) {
        if let level { element(.span, .class("unseen"), text: level.spoken) }
    }

    mutating func row(_ fact: FactsBlock.Fact) {
        element(.div, .key(PageKey(fact.key))) { writer in
            writer.element(.dt, .automaticDirection, text: fact.label)
            writer.element(.dd) { $0.value(fact.value) }
        }
    }

    private mutating func action(_ action: ActionBlock, key: PageKey, in place: LayerPlace) {
        guard place.access == .use else { return }
        let reason = PageID("reason", layer: place.key, block: key)
        element(.div, .class("block action"), .key(key)) { writer in
            writer.element(
                .button, .type(.submit), action.style.class, .name(.action), .posted(action.name),
                .confirm(action.confirmation), action.style == .main ? nil : .unvalidated,
                .disabled(action.unavailable != nil), .described(by: action.unavailable == nil ? [] : [reason]),
                .automaticDirection, text: action.label)
            if let unavailable = action.unavailable {
                writer.element(
                    .small, .class("hint"), .id(reason), .automaticDirection,
                    text: unavailable.isEmpty ? "Not available" : unavailable)
            }
        }
    }

    /// Writes a value, each part of which keeps its own direction.
    mutating func value(_ value: ContentValue) {
        switch value {
        case .text(let text): isolated(text)
        case .quantity(let quantity): self.quantity(quantity)
        }
    }

    /// Writes a number with what it counts. A time is in UTC, until the script writes it for its reader.
    mutating func quantity(_ quantity: Quantity) {
        if let dateTime = quantity.dateTime {
            element(.time, .dateTime(dateTime), text: quantity.text)
        } else {
            element(.span, .class("quantity"), text: quantity.text)
        }
    }
}

extension TextBlock.Level {
    /// The level as the value of an attribute.
    var name: StaticString {
        switch self {
        case .note: "note"
        case .good: "good"
        case .warning: "warning"
        case .error: "error"
        }
    }

    fileprivate var spoken: String {
        switch self {
        case .note: "Note: "
        case .good: "Good: "
        case .warning: "Warning: "
        case .error: "Error: "
        }
    }
}

extension ActionBlock.Style {
    fileprivate var `class`: HTMLAttribute {
        switch self {
        case .plain: .class("plain")
        case .main: .class("main")
        case .destructive: .class("destructive")
        }
    }
}

extension Quantity {
    /// A point in time as `2026-11-29T14:30:00Z`; `nil` for other quantities, and for years that have not four digits.
    var dateTime: String? {
        guard kind == .time, let value, (-62_135_596_800..<253_402_300_800).contains(value) else { return nil }
        let parts = text.split(separator: " ")
        guard parts.count == 3, parts[0].utf8.count == 10 else { return nil }
        return "\(parts[0])T\(parts[1])Z"
    }
}
