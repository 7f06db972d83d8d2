package import CBOR

/// What is printed, line by line, while a listing changes: the difference between it and the one before.
package struct TableChanges {
    /// A row, or a line around the table.
    private struct Item {
        struct Key: Hashable {
            let isRow: Bool
            let name: String
            /// How many items of the same name are before this one.
            let place: Int
        }

        let key: Key
        let cells: [String]
        let note: String?
        let compared: [String]
    }

    private var items: [Item]?
    /// The widest that each column has been, so that lines of different looks are aligned.
    private var widths: [Int] = []
    private var warnings: Set<String> = []
    private var json: String?

    package init() {}

    /// Returns the lines for a listing: the first time all of it, and then what has changed.
    ///
    /// What is new begins with `+`, what is gone with `-`, and what has changed with `~`. The table's header is there once.
    package mutating func lines(for listing: TableListing) -> [String] {
        let present = listing.table.widths
        widths = present.indices.map { max(present[$0], $0 < widths.count ? widths[$0] : 0) }
        let (above, rows, below) = Self.items(of: listing)
        let next = above + rows + below
        defer { items = next }
        guard let items else {
            return above.map { line("+", $0) } + ["  " + Table.line(of: listing.table.header, widths)]
                + (rows + below).map { line("+", $0) }
        }
        let remaining = Set(next.map(\.key))
        let before = Dictionary(uniqueKeysWithValues: items.map { ($0.key, $0.compared) })
        // What is gone from a log has only become too old for it.
        let gone = items.filter { !remaining.contains($0.key) && !(listing.table.isLog && $0.key.isRow) }
        return gone.map { line("-", $0) }
            + next.compactMap { item in
                guard let compared = before[item.key] else { return line("+", item) }
                return compared == item.compared ? nil : line("~", item)
            }
    }

    /// Returns the warnings of a listing that the one before did not have.
    package mutating func newWarnings(of listing: TableListing) -> [String] {
        defer { warnings = Set(listing.warnings) }
        return listing.warnings.filter { !warnings.contains($0) }
    }

    /// Returns a listing as JSON; `nil` if nothing has changed but ages.
    package mutating func json(for listing: TableListing) -> CBORValue? {
        // Texts, because a number that is none would differ from itself.
        let next = listing.ages.reduce(listing.json) { $0.without($1[...]) }.json
        guard next != json else { return nil }
        json = next
        return listing.json
    }

    private func line(_ sign: Character, _ item: Item) -> String {
        let text = item.key.isRow ? Table.line(of: item.cells, widths) : item.cells.joined()
        return "\(sign) \(text)" + (item.note.map { "  " + $0 } ?? "")
    }

    private static func items(of listing: TableListing) -> (above: [Item], rows: [Item], below: [Item]) {
        var counts: [Item.Key: Int] = [:]
        func key(_ name: String, isRow: Bool) -> Item.Key {
            let place = counts[Item.Key(isRow: isRow, name: name, place: 0), default: 0]
            counts[Item.Key(isRow: isRow, name: name, place: 0)] = place + 1
            return Item.Key(isRow: isRow, name: name, place: place)
        }
        func item(_ remark: TableListing.Remark) -> Item {
            Item(key: key(remark.name, isRow: false), cells: [remark.text], note: nil, compared: [remark.compared])
        }
        let table = listing.table
        return (
            listing.head.map(item),
            table.entries.map {
                Item(key: key(table.name(of: $0), isRow: true), cells: $0.cells, note: $0.note, compared: $0.compared)
            },
            listing.foot.map(item)
        )
    }
}

extension CBORValue {
    /// The value without what is at a path of names. Each element of a list on the way is treated alike.
    fileprivate func without(_ path: ArraySlice<String>) -> CBORValue {
        guard let name = path.first else { return self }
        switch self {
        case .array(let elements): return .array(elements.map { $0.without(path) })
        case .map(var map):
            map[name] = path.count == 1 ? nil : map[name]?.without(path.dropFirst())
            return .map(map)
        default: return self
        }
    }
}
