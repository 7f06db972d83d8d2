package import SceneContent

/// A table of the things of an application, such as its sessions. It has all rows; a page shows those that its reader asks for.
package struct ThingTable: Hashable, Sendable {
    package struct Column: Hashable, Sendable {
        /// The name in addresses that sort by the column.
        package var key: String
        package var name: String
        /// Whether its cells end at the same place, as numbers do.
        package var isTrailing: Bool

        package init(_ key: String, _ name: String, isTrailing: Bool = false) {
            self.key = key
            self.name = name
            self.isTrailing = isTrailing
        }
    }

    package struct Cell: Hashable, Sendable {
        /// What a cell's colour means.
        package enum Level: Hashable, Sendable {
            case good, warning, error
        }

        package var value: ContentValue
        /// The path of the page that the cell leads to; `nil` for none.
        package var link: String?
        package var level: Level?
        /// What readers of the screen say of the link, if the value alone says too little.
        package var label: String?

        package init(_ value: ContentValue, link: String? = nil, level: Level? = nil, label: String? = nil) {
            self.value = value
            self.link = link
            self.level = level
            self.label = label
        }
    }

    package struct Row: Hashable, Sendable {
        /// Distinguishes the row from others of the table.
        package var key: String
        /// A cell for each column.
        package var cells: [Cell]
        /// Where the row stands while its reader sorts by no column: those of a lower rank come first.
        package var rank: Int
        /// What the row is found by beside its cells, such as the identifier of what has a name.
        package var terms: [String] = []

        package init(_ key: String, _ cells: [Cell], rank: Int = 0) {
            self.key = key
            self.cells = cells
            self.rank = rank
        }
    }

    package var part: ListQuery.Part
    package var columns: [Column]
    package var rows: [Row]
    /// What to do next if there are no rows.
    package var placeholder: String
    /// What is not in the table, and where it is; `nil` if it has all.
    package var remark: String?

    package init(
        _ part: ListQuery.Part, _ columns: [Column], rows: [Row], placeholder: String, remark: String? = nil
    ) {
        self.part = part
        self.columns = columns
        self.rows = rows
        self.placeholder = placeholder
        self.remark = remark
    }

    /// The table with names in place of identifiers in its first column. Its rows are still found by both.
    package func naming(_ names: [String: String]) -> ThingTable {
        guard !names.isEmpty else { return self }
        var table = self
        for index in table.rows.indices {
            guard let first = table.rows[index].cells.first, case .text(let identifier) = first.value,
                let name = names[identifier]
            else { continue }
            table.rows[index].terms.append(identifier)
            table.rows[index].cells[0].value = .text(name)
            for cell in table.rows[index].cells.indices {
                table.rows[index].cells[cell].label?.replace(identifier, with: name)
            }
        }
        return table
    }

    /// The rows of one page.
    struct Selection {
        var rows: [Row]
        /// The number of rows that match.
        var count: Int
        var page: Int
        var pages: Int
    }

    /// The number of rows on a page that shows nothing else, and where a table is one of several.
    static let (pageSize, beginning) = (200, 12)

    /// Returns the rows that a query asks for.
    /// - Parameter isWhole: whether the page shows nothing else.
    func selection(_ query: ListQuery, isWhole: Bool) -> Selection {
        var found = rows
        if !query.text.isEmpty {
            let wanted = query.text.lowercased()
            func isFound(_ text: String) -> Bool { text.lowercased().contains(wanted) }
            found = found.filter { row in
                row.cells.contains { isFound($0.value.plain) } || row.terms.contains(where: isFound)
            }
        }
        if let column = columns.firstIndex(where: { $0.key == query.sort }) {
            // Each value is prepared once, not at each comparison. Equal ones keep their order.
            let sorted = found.indices.map { (SortValue(found[$0].cells[column].value), $0) }.sorted {
                $0.0 == $1.0 ? $0.1 < $1.1 : ($0.0 < $1.0) != query.isDescending
            }
            found = sorted.map { found[$0.1] }
        } else if found.contains(where: { $0.rank != found[0].rank }) {
            let ranked = found.indices.sorted { (found[$0].rank, $0) < (found[$1].rank, $1) }
            found = ranked.map { found[$0] }
        }
        let size = isWhole ? Self.pageSize : Self.beginning
        let pages = isWhole ? max(1, (found.count + size - 1) / size) : 1
        let page = isWhole ? min(query.page, pages) : 1
        return Selection(
            rows: Array(found.dropFirst((page - 1) * size).prefix(size)), count: found.count, page: page, pages: pages)
    }
}

/// A value as rows are sorted by it: numbers before texts, and what is not known first.
private enum SortValue: Comparable {
    case unknown
    case number(Double)
    case text(NaturalText)

    init(_ value: ContentValue) {
        switch value {
        case .text(let text): self = .text(NaturalText(text))
        case .quantity(let quantity): self = quantity.value.map { .number($0) } ?? .unknown
        }
    }
}

extension ContentValue {
    /// The value as a text.
    var plain: String {
        switch self {
        case .text(let text): text
        case .quantity(let quantity): quantity.text
        }
    }
}
