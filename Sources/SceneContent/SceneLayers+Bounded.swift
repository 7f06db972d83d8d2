import CBOR

extension SceneLayers {
    /// The content without what is beyond its bounds, which a text replaces.
    public var bounded: SceneLayers {
        var (budget, bytes, images) = (ContentBounds.nodes, Int.max, ImageBudget())
        let layers = layers.map { layer in
            guard case .map(var fields) = layer.node else { return layer }
            var order: [ContentNode] = []
            var blocks: [String: ContentNode] = [:]
            let all = Keyed.ordered(fields["blocks"], by: fields["order"], limit: .max)
            for (key, node) in all.prefix(ContentBounds.blocks) {
                order.append(.text(key))
                let reason =
                    budget > 0
                    ? Self.excess(of: node, budget: &budget, bytes: &bytes, images: &images)
                    : "the scene shows too much at once"
                blocks[key] = reason.map { TextBlock($0, level: .error).node(of: TextBlock.type) } ?? node
            }
            if all.count > ContentBounds.blocks, let last = order.last?.text {
                blocks[last] = TextBlock(
                    "\(all.count - ContentBounds.blocks + 1) more blocks are not shown: a screen has at most "
                        + "\(ContentBounds.blocks)", level: .error
                ).node(of: TextBlock.type)
            }
            fields["blocks"] = .map(blocks)
            fields["order"] = .list(order)
            fields["title"] = fields["title"]?.text.map { .text($0.cut(toBytes: 1000)) }
            return ContentLayer(key: layer.key, node: .map(fields))
        }
        return SceneLayers(layers).replacedIfTooLarge
    }

    /// Why the content is beyond its bounds; `nil` if it is within them, apart from its size as CBOR.
    package var excess: String? {
        // Also those that are not shown because they are in no order, or below too many others.
        let layers = node["layers"]?.map ?? [:]
        guard layers.count <= ContentBounds.layers else { return "it has \(layers.count) layers" }
        // Titles, tabs and the orders of layers and blocks are parts besides those of the blocks.
        var (budget, others, bytes) = (ContentBounds.nodes, ContentBounds.nodes, ContentBounds.bytes)
        var images = ImageBudget()
        for (name, field) in node.map where name != "layers" {
            bytes -= name.utf8.count
            _ = field.measure(budget: &others, bytes: &bytes)
        }
        if others <= 0 || bytes < 0 { return "it is too large" }
        for (key, layer) in layers {
            bytes -= key.utf8.count
            for (name, field) in layer.map where name != "blocks" {
                bytes -= name.utf8.count
                let longest = field.measure(budget: &others, bytes: &bytes)
                if longest > ContentBounds.text { return "it has too long a text" }
            }
            let blocks = layer["blocks"]?.map ?? [:]
            guard blocks.count <= ContentBounds.blocks else { return "it has \(blocks.count) blocks in a layer" }
            for (key, block) in blocks {
                bytes -= key.utf8.count
                if let reason = Self.excess(of: block, budget: &budget, bytes: &bytes, images: &images) {
                    return reason
                }
            }
            if others <= 0 || bytes < 0 { return "it is too large" }
        }
        return nil
    }

    private var replacedIfTooLarge: SceneLayers {
        // No item takes more bytes than it costs in memory, so most contents need not be encoded to be measured.
        if node.cost <= ContentBounds.bytes { return self }
        let size = (try? CBORRaw(encoding: self))?.bytes.count
        if let size, size <= ContentBounds.bytes { return self }
        let text =
            size.map { "The screen has \($0) bytes, and at most \(ContentBounds.bytes) are shown." }
            ?? "The screen cannot be encoded."
        let title = top?.title ?? ""
        return SceneLayers([
            ContentLayer(
                key: "screen", title: title,
                blocks: [("excess", TextBlock(text, level: .error).node(of: TextBlock.type))])
        ])
    }

    /// Returns why a block is not shown; `nil` if it is within its bounds.
    private static func excess(
        of block: ContentNode, budget: inout Int, bytes: inout Int, images: inout ImageBudget
    ) -> String? {
        let type = block["type"]?.text ?? "block"
        func beyond(_ count: Int, _ limit: Int, _ what: String) -> String? {
            count > limit ? "A \(type) with \(count) \(what) is not shown: it has at most \(limit)." : nil
        }
        let series = block["series"]?.map ?? [:]
        let reason =
            beyond(block["rows"]?.map.count ?? 0, ContentBounds.rows, "rows")
            ?? beyond(block["columns"]?.list.count ?? 0, ContentBounds.columns, "columns")
            ?? beyond(block["choices"]?.list.count ?? 0, ContentBounds.choices, "choices")
            ?? beyond(series.count, ContentBounds.series, "series")
            ?? series.values.lazy.compactMap { beyond($0["points"]?.list.count ?? 0, ContentBounds.points, "points") }
            .first
        if let reason { return reason }
        // A surface draws each row with all columns, also where the row has no cell.
        budget -= (block["rows"]?.map.count ?? 0) * (block["columns"]?.list.count ?? 0)
        let longest = block.measure(budget: &budget, bytes: &bytes)
        if budget <= 0 { return "A \(type) is not shown: the scene has too many parts." }
        return beyond(longest, ContentBounds.text, "bytes in a text") ?? images.excess(of: block)
    }
}

extension ContentNode {
    /// Takes the number of this node's parts from a budget, and the length of its texts from a number of bytes.
    /// - Returns: the length of its longest text, in bytes.
    fileprivate func measure(budget: inout Int, bytes: inout Int) -> Int {
        budget -= 1
        guard budget > 0 else { return 0 }
        switch self {
        case .null, .bool, .number: return 0
        case .text(let text):
            bytes -= text.utf8.count
            return text.utf8.count
        case .list(let elements):
            return elements.reduce(0) { max($0, $1.measure(budget: &budget, bytes: &bytes)) }
        case .map(let fields):
            return fields.reduce(0) { longest, field in
                bytes -= field.key.utf8.count
                return max(longest, field.value.measure(budget: &budget, bytes: &bytes))
            }
        }
    }

    /// What the node takes in memory, roughly, in bytes: 64 for each text, number, list and map, and the bytes of the texts.
    package var cost: Int {
        switch self {
        case .null, .bool, .number: 64
        case .text(let text): 64 + text.utf8.count
        case .list(let elements): elements.reduce(64) { $0 + $1.cost }
        case .map(let fields): fields.reduce(64) { $0 + 64 + $1.key.utf8.count + $1.value.cost }
        }
    }

    /// What of the node is not in a later one, and the maps and lists on the way there, which are copied for each change of a part.
    fileprivate func cost(beside next: ContentNode) -> Int {
        guard self != next else { return 0 }
        switch (self, next) {
        case (.map(let fields), .map(let others)):
            return fields.reduce(64) { sum, field in
                sum + 64 + (others[field.key].map { field.value.cost(beside: $0) } ?? field.value.cost)
            }
        case (.list(let elements), .list(let others)):
            // The points of a chart move on: most of them are those of the later one.
            let start = others.first.flatMap { elements.firstIndex(of: $0) } ?? elements.endIndex
            guard elements[start...].elementsEqual(others.prefix(elements.count - start)) else { return cost }
            return elements[..<start].reduce(64 + 16 * elements.count) { $0 + $1.cost }
        default: return cost
        }
    }
}

extension SceneLayers {
    /// The same content, made of an earlier one: what they have in common is in memory once.
    /// - Returns: `nil` if that is not possible, because a part is in the wrong form.
    package func sharing(with old: SceneLayers) -> (layers: SceneLayers, change: ContentDifference)? {
        let change = difference(from: old)
        guard let shared = try? old.applying(change), shared == self else { return nil }
        return (shared, change)
    }

    /// What the content takes in memory beside a later one that was made of it, roughly and at most, in bytes.
    package func cost(beside next: SceneLayers) -> Int {
        // What the change to it has replaced is in memory twice, also where it is the same.
        node.cost(beside: next.node) + next.difference(from: self).node.cost
    }
}
