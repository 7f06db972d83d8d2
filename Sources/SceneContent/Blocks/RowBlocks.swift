/// Rows one below the other.
public struct ListBlock: TypedBlock {
    public static let type = "list"

    public struct Row: Hashable, Sendable {
        /// Distinguishes the row from others of the list.
        public var key: String
        public var title: String
        /// More about it; empty for none.
        public var detail: String
        /// A word or a number at the row's end; empty for none.
        public var badge: String
        /// The action that selects the row; `nil` if it cannot be selected.
        public var action: String?
        /// What the row means to its reader; `nil` for nothing special.
        public var level: TextBlock.Level?

        public init(
            key: String, title: String, detail: String = "", badge: String = "", action: String? = nil,
            level: TextBlock.Level? = nil
        ) {
            self.key = key
            self.title = title
            self.detail = detail
            self.badge = badge
            self.action = action
            self.level = level
        }
    }

    public var rows: [Row]
    /// What is said instead of the rows if there are none; empty for nothing.
    public var placeholder: String

    public init(_ rows: [Row], placeholder: String = "") {
        self.rows = rows
        self.placeholder = placeholder
    }

    public init?(_ node: ContentNode) {
        guard case .map? = node["rows"] else { return nil }
        placeholder = node["placeholder"]?.text ?? ""
        rows = Keyed.ordered(node["rows"], by: node["order"], limit: ContentBounds.rows).map { key, row in
            Row(
                key: key, title: row["title"]?.text ?? key, detail: row["detail"]?.text ?? "",
                badge: row["badge"]?.text ?? "", action: row["action"]?.text, level: TextBlock.Level(row["level"]))
        }
    }

    public var fields: [String: ContentNode] {
        Keyed.fields(
            rows.map { row in
                (
                    row.key,
                    .map(
                        .init(present: [
                            "title": .text(row.title), "detail": .text(row.detail), "badge": .text(row.badge),
                            "action": row.action.map { .text($0) }, "level": row.level.map { .text($0.rawValue) },
                        ]))
                )
            }
        ).merging(.init(present: ["placeholder": .text(placeholder)])) { $1 }
    }
}

/// Rows with a cell for each column.
public struct TableBlock: TypedBlock {
    public static let type = "table"

    public struct Column: Hashable, Sendable {
        public var name: String
        /// Whether its cells end at the same place, as numbers do.
        public var isTrailing: Bool

        public init(_ name: String, isTrailing: Bool = false) {
            self.name = name
            self.isTrailing = isTrailing
        }
    }

    public struct Row: Hashable, Sendable {
        /// Distinguishes the row from others of the table.
        public var key: String
        /// A value for each column. Those that are missing are empty.
        public var cells: [ContentValue]
        /// The action that selects the row; `nil` if it cannot be selected.
        public var action: String?
        /// What the cells mean to their reader, `nil` for nothing special. Those at the end without a level may be missing.
        public var levels: [TextBlock.Level?]

        public init(
            key: String, cells: [ContentValue], action: String? = nil, levels: [TextBlock.Level?] = []
        ) {
            self.key = key
            self.cells = cells
            self.action = action
            self.levels = Array(levels[..<((levels.lastIndex { $0 != nil } ?? -1) + 1)])
        }

        /// What the cell of a column means; `nil` for nothing special.
        public func level(ofColumn column: Int) -> TextBlock.Level? {
            levels.indices.contains(column) ? levels[column] : nil
        }
    }

    public var columns: [Column]
    public var rows: [Row]
    /// What is said instead of the rows if there are none; empty for nothing.
    public var placeholder: String
    /// How many rows there are, if these are a part of them.
    public var total: Int?

    public init(_ columns: [Column], rows: [Row], placeholder: String = "", total: Int? = nil) {
        self.columns = columns
        self.rows = rows
        self.placeholder = placeholder
        self.total = total
    }

    public init?(_ node: ContentNode) {
        guard case .map? = node["rows"], case .list(let columns)? = node["columns"], !columns.isEmpty else {
            return nil
        }
        self.columns = columns.prefix(ContentBounds.columns).map { column in
            Column(column["name"]?.text ?? "", isTrailing: column["align"]?.text == "end")
        }
        let width = self.columns.count
        placeholder = node["placeholder"]?.text ?? ""
        total = node["total"]?.number.flatMap { Int(exactly: $0.rounded()) }.flatMap { $0 >= 0 ? $0 : nil }
        rows = Keyed.ordered(node["rows"], by: node["order"], limit: ContentBounds.rows).map { key, row in
            let cells = (row["cells"]?.list ?? []).prefix(width).map { ContentValue($0) }
            return Row(
                key: key, cells: cells + Array(repeating: "", count: width - cells.count), action: row["action"]?.text,
                levels: (row["levels"]?.list ?? []).prefix(width).map { TextBlock.Level($0) })
        }
    }

    public var fields: [String: ContentNode] {
        var fields = Keyed.fields(
            rows.map { row in
                (
                    row.key,
                    .map(
                        .init(present: [
                            "cells": .list(row.cells.map(\.node)), "action": row.action.map { .text($0) },
                            "levels": row.levels.isEmpty ? nil : .list(row.levels.map { .text($0?.rawValue ?? "") }),
                        ]))
                )
            })
        fields["columns"] = .list(
            columns.map { column in
                .map(.init(present: ["name": .text(column.name), "align": column.isTrailing ? "end" : nil]))
            })
        return fields.merging(
            .init(present: ["placeholder": .text(placeholder), "total": total.map { .number(Double($0)) }])
        ) { $1 }
    }

    /// What of the table is shown, such as `200 of 9120`; `nil` if all of it is.
    public var part: String? {
        guard let total, total > rows.count else { return nil }
        return "\(rows.count) of \(total)"
    }
}
