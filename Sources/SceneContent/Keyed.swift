/// Maps by key with an order beside them.
enum Keyed {
    /// Returns the values in their order. What the order does not name is left out, and so is what it names twice.
    static func ordered(_ map: ContentNode?, by order: ContentNode?, limit: Int) -> [(key: String, node: ContentNode)] {
        guard case .map(let values)? = map else { return [] }
        var seen: Set<String> = []
        var ordered: [(key: String, node: ContentNode)] = []
        for case .text(let key) in order?.list ?? [] {
            guard ordered.count < limit else { break }
            if let value = values[key], seen.insert(key).inserted { ordered.append((key, value)) }
        }
        return ordered
    }
}

extension Keyed {
    /// The fields of a block with rows. Of two rows with one key, the later one stays.
    static func fields(_ rows: [(key: String, node: ContentNode)]) -> [String: ContentNode] {
        [
            "rows": .map(Dictionary(rows.map { ($0.key, $0.node) }) { $1 }),
            "order": .list(rows.map { .text($0.key) }),
        ]
    }
}
