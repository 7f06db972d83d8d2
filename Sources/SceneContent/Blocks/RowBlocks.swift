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

        public init(key: String, title: String, detail: String = "", badge: String = "", action: String? = nil) {
            self.key = key
            self.title = title
            self.detail = detail
            self.badge = badge
            self.action = action
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
                badge: row["badge"]?.text ?? "", action: row["action"]?.text)
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
                            "action": row.action.map { .text($0) },
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

        public init(key: String, cells: [ContentValue], action: String? = nil) {
            self.key = key
            self.cells = cells
            self.action = action
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
                key: key, cells: cells + Array(repeating: "", count: width - cells.count), action: row["action"]?.text)
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
