import SceneContent

extension HTMLWriter {
    mutating func list(_ list: ListBlock, key: PageKey, in place: LayerPlace) {
        element(.div, .class("block list"), .key(key)) { writer in
            // Without bullets, some readers of the screen take it for a list only if it says so.
            writer.element(.ul, .rows, .role(.list)) { writer in
                for row in list.rows { writer.row(row, in: place) }
            }
            if list.rows.isEmpty { writer.placeholder(list.placeholder) }
        }
    }

    mutating func row(_ row: ListBlock.Row, in place: LayerPlace) {
        func content(_ writer: inout HTMLWriter) {
            writer.spoken(row.level)
            writer.element(.span, .class("title"), .automaticDirection, text: row.title)
            if !row.detail.isEmpty {
                writer.element(.span, .class("detail"), .automaticDirection, text: row.detail)
            }
            if !row.badge.isEmpty { writer.element(.span, .class("badge"), .automaticDirection, text: row.badge) }
        }
        element(.li, .key(PageKey(row.key)), row.level.map { .level($0.name) }) { writer in
            if let action = row.action, place.access == .use {
                writer.selection(of: action, content: content)
            } else {
                writer.element(.div, .class("row"), content: content)
            }
        }
    }

    mutating func table(_ table: TableBlock, key: PageKey, in place: LayerPlace) {
        element(.div, .class("block table"), .key(key)) { writer in
            writer.element(.table) { writer in
                writer.element(.thead) { writer in
                    writer.element(.tr) { writer in
                        for column in table.columns {
                            writer.element(
                                .th, .columnScope, column.isTrailing ? .class("end") : nil, .automaticDirection,
                                text: column.name)
                        }
                    }
                }
                writer.element(.tbody, .rows) { writer in
                    for row in table.rows { writer.row(row, columns: table.columns, in: place) }
                }
            }
            if table.rows.isEmpty { writer.placeholder(table.placeholder) }
            if let part = table.part { writer.element(.p, .class("hint"), text: part) }
        }
    }

    mutating func row(_ row: TableBlock.Row, columns: [TableBlock.Column], in place: LayerPlace) {
        let action = place.access == .use ? row.action : nil
        element(.tr, .key(PageKey(row.key)), action == nil ? nil : .class("selectable")) { writer in
            for (index, (column, cell)) in zip(columns, row.cells).enumerated() {
                let level = row.level(ofColumn: index)
                writer.element(.td, column.isTrailing ? .class("end") : nil, level.map { .level($0.name) }) { writer in
                    if index == 0, let action {
                        writer.selection(of: action) { writer in
                            writer.spoken(level)
                            if cell == "" { writer.element(.span, text: "Select") } else { writer.value(cell) }
                        }
                    } else {
                        writer.spoken(level)
                        writer.value(cell)
                    }
                }
            }
        }
    }

    /// Writes the button that selects a row.
    private mutating func selection(of action: String, content: (inout HTMLWriter) -> Void) {
        element(
            .button, .type(.submit), .class("row"), .name(.action), .posted(action), .unvalidated, .stays,
            content: content)
    }

    private mutating func placeholder(_ text: String) {
        element(.p, .class("empty"), .automaticDirection, text: text.isEmpty ? "Nothing here." : text)
    }
}
