package import SceneContent

extension HTMLWriter {
    /// Writes a table of things, whose columns lead to the same page in another order.
    /// - Parameters:
    ///   - path: the path of the page, to which a query is added.
    ///   - isWhole: whether the page shows all of the table, page by page, and not only its beginning.
    ///   - title: the heading; `nil` if the page's own says it.
    mutating func things(_ table: ThingTable, _ query: ListQuery, at path: String, isWhole: Bool, title: String?) {
        let selection = table.selection(query, isWhole: isWhole)
        element(.section, .key(PageKey(table.part.rawValue)), .class("things"), .id(PageID(table.part))) { writer in
            if let title {
                writer.element(.h2) { writer in
                    writer.element(.a, .href(.page("\(query.address(path))#\(table.part.rawValue)")), text: title)
                    writer.element(.span, .class("count"), text: "\(selection.count)")
                }
            }
            guard !selection.rows.isEmpty else {
                let isSearched = !query.text.isEmpty && !table.rows.isEmpty
                writer.element(
                    .p, .class("empty"), .automaticDirection,
                    text: isSearched ? "Nothing here has ‘\(query.text)’ in it." : table.placeholder)
                return
            }
            writer.element(.div, .class("block table"), .key(PageKey("table"))) { writer in
                writer.element(.table) { writer in
                    writer.head(of: table, query, at: path)
                    writer.element(.tbody, .rows) { writer in
                        for row in selection.rows { writer.thing(row, of: table) }
                    }
                }
                if let remark = table.remark { writer.element(.p, .class("hint"), .automaticDirection, text: remark) }
            }
            if isWhole {
                writer.pager(selection, query, at: path)
            } else if selection.count > selection.rows.count {
                writer.element(.p, .class("more")) { writer in
                    writer.element(
                        .a, .href(.page(query.showing(table.part).address(PagePath.application))),
                        text: "All \(selection.count) \(table.part.rawValue)")
                }
            }
        }
    }

    private mutating func head(of table: ThingTable, _ query: ListQuery, at path: String) {
        element(.thead) { writer in
            writer.element(.tr) { writer in
                for column in table.columns {
                    let isSorted = query.sort == column.key
                    writer.element(
                        .th, .columnScope, column.isTrailing ? .class("end") : nil,
                        isSorted ? .sorted(isDescending: query.isDescending) : nil
                    ) { writer in
                        writer.element(
                            .a, .href(.page(query.sorting(by: column.key).address(path))), text: column.name)
                    }
                }
            }
        }
    }

    private mutating func thing(_ row: ThingTable.Row, of table: ThingTable) {
        element(.tr, .key(PageKey(row.key)), .id(PageID(table.part, row: row.key))) { writer in
            for (column, cell) in zip(table.columns, row.cells) {
                writer.element(.td, column.isTrailing ? .class("end") : nil) { $0.cell(cell) }
            }
        }
    }

    mutating func cell(_ cell: ThingTable.Cell) {
        func content(_ writer: inout HTMLWriter) {
            guard let link = cell.link else { return writer.value(cell.value) }
            writer.element(.a, .href(.page(link)), cell.label.map { .label($0) }) { $0.value(cell.value) }
        }
        switch cell.level {
        case .good: element(.span, .class("state-cell"), .level("good"), content: content)
        case .warning: element(.span, .class("state-cell"), .level("warning"), content: content)
        case .error: element(.span, .class("state-cell"), .level("error"), content: content)
        case nil: content(&self)
        }
    }

    private mutating func pager(_ selection: ThingTable.Selection, _ query: ListQuery, at path: String) {
        guard selection.pages > 1 else { return }
        func address(_ page: Int) -> String {
            var query = query
            query.page = page
            return query.address(path)
        }
        element(.nav, .class("pager"), .label("Pages")) { writer in
            if selection.page > 1 {
                writer.element(.a, .class("button"), .href(.page(address(selection.page - 1))), text: "Previous")
            }
            writer.element(
                .span, .class("detail"), text: "Page \(selection.page) of \(selection.pages), \(selection.count) in all"
            )
            if selection.page < selection.pages {
                writer.element(.a, .class("button"), .href(.page(address(selection.page + 1))), text: "Next")
            }
        }
    }

    /// Writes the form that searches. It asks for an address, so that it works without a script.
    mutating func search(_ query: ListQuery, at path: String, for what: String) {
        element(.form, .class("search"), .role(.search), .action(.page(path))) { writer in
            if let sort = query.sortText {
                writer.void(.input, .type(.hidden), .name(.query(.sort)), .value(sort))
            }
            if let only = query.only {
                writer.void(.input, .type(.hidden), .name(.query(.only)), .value(only.rawValue))
            }
            writer.void(
                .input, .type(.search), .key(PageKey("search")), .name(.query(.text)), .value(query.text),
                .notRemembered, .label(what), .automaticDirection, .longest(ListQuery.maximumText))
            writer.element(.button, .type(.submit), text: "Search")
            if !query.text.isEmpty {
                var all = query
                (all.text, all.page) = ("", 1)
                writer.element(.a, .class("clear"), .href(.page(all.address(path))), text: "Clear")
            }
        }
    }

    /// Writes what is known of one thing, each with its name.
    mutating func facts(_ facts: [ThingFact]) {
        element(.dl, .class("facts"), .key(PageKey("facts"))) { writer in
            for fact in facts {
                // Long ones, such as a list of names, have a line of their own.
                let isLong = fact.cell.value.text.count > 30
                writer.element(.div, .key(PageKey(fact.name)), isLong ? .class("long") : nil) { writer in
                    writer.element(.dt, text: fact.name)
                    writer.element(.dd) { $0.cell(fact.cell) }
                }
            }
        }
    }
}

/// Something that is known of a thing.
package struct ThingFact: Hashable, Sendable {
    package var name: String
    package var cell: ThingTable.Cell

    package init(_ name: String, _ value: ContentValue, link: String? = nil, level: ThingTable.Cell.Level? = nil) {
        self.name = name
        cell = ThingTable.Cell(value, link: link, level: level)
    }
}
