public import SceneContent

/// Rows one below the other, which the user may select.
public struct List: ScreenPart {
    private let name: String
    private let rows: [ListBlock.Row]
    private let placeholder: String
    /// What is done when a row is selected, for each row; `nil` if rows cannot be selected.
    private let selections: [@MainActor () async throws -> Void]?

    /// Makes a list.
    /// - Parameters:
    ///   - elements: what the rows show, each with an id of its own.
    ///   - name: a name for the list; its rows are selected by the actions `NAME:ID`.
    ///   - placeholder: what is said if there are no rows.
    ///   - row: makes the row of an element.
    ///   - onSelect: what is done when a row is selected; `nil` if rows cannot be selected.
    public init<Element: Identifiable>(
        _ elements: some Sequence<Element>, name: String = "row", placeholder: String = "",
        row: (Element) -> Row, onSelect: (@MainActor (Element) async throws -> Void)? = nil
    ) {
        let elements = Array(elements)
        rows = elements.map { element in
            let row = row(element)
            return ListBlock.Row(
                key: "\(element.id)", title: row.title, detail: row.detail, badge: row.badge, level: row.level)
        }
        selections = onSelect.map { onSelect in elements.map { element in { try await onSelect(element) } } }
        self.name = name
        self.placeholder = placeholder
    }

    public func add(to all: inout ScreenParts) {
        let actions = all.addRows(name, keys: rows.map(\.key), selections)
        let rows = rows.map { row in
            var row = row
            row.action = actions[row.key]
            return row
        }
        all.add(ListBlock(rows, placeholder: placeholder))
    }
}

/// A row of a ``List``.
public struct Row {
    let title: String
    let detail: String
    let badge: String
    let level: TextBlock.Level?

    /// Makes a row. Line feeds in its texts are kept.
    /// - Parameters:
    ///   - detail: more about it; empty for none.
    ///   - badge: a word or a number at the row's end; empty for none.
    ///   - level: what it means to its reader; `nil` for nothing special.
    public init(_ title: String, detail: String = "", badge: String = "", level: TextBlock.Level? = nil) {
        self.title = title
        self.detail = detail
        self.badge = badge
        self.level = level
    }
}

/// Rows with a cell for each column, which the user may select.
public struct Table: ScreenPart {
    private let name: String
    private let block: TableBlock
    /// What is done when a row is selected, for each row; `nil` if rows cannot be selected.
    private let selections: [@MainActor () async throws -> Void]?

    /// Makes a table.
    /// - Parameters:
    ///   - elements: what the rows show, each with an id of its own.
    ///   - name: a name for the table; its rows are selected by the actions `NAME:ID`.
    ///   - total: how many elements there are, if these are a part of them.
    ///   - placeholder: what is said if there are no rows.
    ///   - columns: the columns from left to right.
    ///   - onSelect: what is done when a row is selected; `nil` if rows cannot be selected.
    public init<Element: Identifiable>(
        _ elements: some Sequence<Element>, name: String = "row", total: Int? = nil, placeholder: String = "",
        @ColumnBuilder<Element> columns: () -> [Column<Element>],
        onSelect: (@MainActor (Element) async throws -> Void)? = nil
    ) {
        let elements = Array(elements)
        let columns = columns()
        let rows = elements.map { element in
            TableBlock.Row(
                key: "\(element.id)", cells: columns.map { $0.value(element) },
                levels: columns.map { $0.level?(element) })
        }
        block = TableBlock(
            columns.map { TableBlock.Column($0.name, isTrailing: $0.isTrailing) }, rows: rows, placeholder: placeholder,
            total: total)
        selections = onSelect.map { onSelect in elements.map { element in { try await onSelect(element) } } }
        self.name = name
    }

    public func add(to all: inout ScreenParts) {
        let actions = all.addRows(name, keys: block.rows.map(\.key), selections)
        var block = block
        for index in block.rows.indices { block.rows[index].action = actions[block.rows[index].key] }
        all.add(block)
    }
}

/// A column of a ``Table``.
public struct Column<Element> {
    let name: String
    let isTrailing: Bool
    let value: (Element) -> ContentValue
    let level: ((Element) -> TextBlock.Level?)?

    /// Makes a column of texts.
    /// - Parameter level: what the cell of an element means to its reader, with `nil` for nothing special; `nil` if no cell of
    ///   the column means more than it says.
    public init(
        _ name: String, level: ((Element) -> TextBlock.Level?)? = nil, text: @escaping (Element) -> String
    ) {
        self.name = name
        self.level = level
        isTrailing = false
        value = { .text(text($0)) }
    }

    /// Makes a column of quantities, which end at the same place.
    /// - Parameter level: what the cell of an element means to its reader, with `nil` for nothing special; `nil` if no cell of
    ///   the column means more than it says.
    public init(
        _ name: String, level: ((Element) -> TextBlock.Level?)? = nil, quantity: @escaping (Element) -> Quantity
    ) {
        self.name = name
        self.level = level
        isTrailing = true
        value = { .quantity(quantity($0)) }
    }
}

/// Makes the columns of a ``Table``.
@resultBuilder
public enum ColumnBuilder<Element> {
    public static func buildExpression(_ column: Column<Element>) -> [Column<Element>] { [column] }
    public static func buildBlock(_ columns: [Column<Element>]...) -> [Column<Element>] { columns.flatMap { $0 } }
    public static func buildOptional(_ columns: [Column<Element>]?) -> [Column<Element>] { columns ?? [] }
    public static func buildEither(first columns: [Column<Element>]) -> [Column<Element>] { columns }
    public static func buildEither(second columns: [Column<Element>]) -> [Column<Element>] { columns }
}
