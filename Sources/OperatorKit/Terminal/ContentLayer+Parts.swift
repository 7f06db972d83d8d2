import SceneContent

extension ContentLayer {
    /// The parts that can have the focus, in their order.
    func parts(of blocks: [(key: String, block: ContentBlock)]) -> [TextLine.Part] {
        var parts: [TextLine.Part] = []
        var names: Set<String> = []
        for tab in tabs where names.insert(tab.action).inserted { parts.append(.tab(tab.action)) }
        for (key, block) in blocks {
            switch block {
            case .field: parts.append(.block(key))
            case .action(let action) where action.unavailable == nil: parts.append(.block(key))
            case .list(let list):
                parts += list.rows.filter { $0.action != nil }.map { .row(block: key, key: $0.key) }
            case .table(let table):
                parts += table.rows.filter { $0.action != nil }.map { .row(block: key, key: $0.key) }
            default: break
            }
        }
        return parts
    }
}
