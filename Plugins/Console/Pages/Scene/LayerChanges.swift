import SceneContent

/// What has to change in a layer of a page that stays.
struct LayerChanges {
    private(set) var operations: [PatchOperation] = []
    private let key: PageKey
    private let place: LayerPlace

    init(from old: ContentLayer, to new: ContentLayer, _ drawing: SceneDrawing) {
        key = PageKey(new.key)
        place = LayerPlace(key: key, address: drawing.address, access: drawing.access)
        if old.node["title"] != new.node["title"] || old.node["tabs"] != new.node["tabs"]
            || old.node["back"] != new.node["back"]
        {
            operations.append(.bar(layer: key, drawing.markup { drawing.bar(new, to: &$0) }))
        }
        let defaultButton = drawing.markup { drawing.defaultButton(of: new, to: &$0) }
        if defaultButton != drawing.markup({ drawing.defaultButton(of: old, to: &$0) }) {
            operations.append(.defaultButton(layer: key, defaultButton))
        }
        compare(old.blockNodes.filter { place.shows($0.node) }, new.blockNodes.filter { place.shows($0.node) })
    }

    private typealias Block = (key: String, node: ContentNode)

    private mutating func compare(_ old: [Block], _ new: [Block]) {
        let before = Dictionary(uniqueKeysWithValues: old.map { ($0.key, $0.node) })
        let after = Set(new.map(\.key))
        for block in old where !after.contains(block.key) {
            operations.append(.remove(layer: key, key: PageKey(block.key)))
        }
        var previous: PageKey?
        for block in new {
            if let old = before[block.key] {
                if old != block.node { replace(old, by: block) }
            } else {
                operations.append(
                    .insert(layer: key, key: PageKey(block.key), after: previous, markup(of: block)))
            }
            previous = PageKey(block.key)
        }
        let kept = new.lazy.map(\.key).filter { before[$0] != nil }
        if !old.lazy.map(\.key).filter({ after.contains($0) }).elementsEqual(kept) {
            operations.append(.order(layer: key, new.map { PageKey($0.key) }))
        }
    }

    private mutating func replace(_ old: ContentNode, by block: Block) {
        if let rows = ChangedRows(from: old, to: block.node) {
            for (row, markup) in rows.markup(in: place) {
                operations.append(.row(layer: key, block: PageKey(block.key), key: PageKey(row), markup))
            }
        } else {
            operations.append(.block(layer: key, key: PageKey(block.key), markup(of: block)))
        }
    }

    private func markup(of block: Block) -> String {
        var writer = HTMLWriter()
        writer.block(block.node, key: block.key, in: place)
        return writer.markup
    }
}

/// The rows of a block that differ, where nothing else does.
private struct ChangedRows {
    private let keys: Set<String>
    private let block: ContentBlock

    /// - Returns: `nil` if more has changed than what is in some of the rows.
    init?(from old: ContentNode, to new: ContentNode) {
        guard case .map(let before)? = old["rows"], case .map(let after)? = new["rows"],
            before.count == after.count, Self.differsInRowsAlone(old.map, new.map)
        else { return nil }
        var keys: Set<String> = []
        for (key, row) in after {
            guard let old = before[key] else { return nil }
            if old != row { keys.insert(key) }
        }
        // So many rows are smaller as one block.
        guard keys.count <= max(1, after.count / 2) else { return nil }
        self.keys = keys
        block = ContentBlock(new)
        switch block {
        case .facts, .list, .table: break
        default: return nil
        }
    }

    private static func differsInRowsAlone(_ old: [String: ContentNode], _ new: [String: ContentNode]) -> Bool {
        old.count == new.count && new.allSatisfy { $0.key == "rows" || old[$0.key] == $0.value }
    }

    /// The rows that are shown, with their markup.
    func markup(in place: LayerPlace) -> [(key: String, markup: String)] {
        func drawn(_ key: String, _ draw: (inout HTMLWriter) -> Void) -> (key: String, markup: String)? {
            guard keys.contains(key) else { return nil }
            var writer = HTMLWriter()
            draw(&writer)
            return (key, writer.markup)
        }
        switch block {
        case .facts(let facts): return facts.facts.compactMap { row in drawn(row.key) { $0.row(row) } }
        case .list(let list): return list.rows.compactMap { row in drawn(row.key) { $0.row(row, in: place) } }
        case .table(let table):
            return table.rows.compactMap { row in
                drawn(row.key) { $0.row(row, columns: table.columns, in: place) }
            }
        default: return []
        }
    }
}
