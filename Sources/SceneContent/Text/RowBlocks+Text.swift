import Messaging

extension ListBlock {
    func lines(_ form: TextForm, key: String) -> [TextLine] {
        if rows.isEmpty { return TextLine.placeholder(placeholder, form) }
        return rows.flatMap { row in
            var parts = [row.level.prefix + row.title, row.detail, row.badge].filter { !$0.isEmpty }
            if form.showsNames {
                parts.append("[\(row.key)]")
                if let action = row.action { parts.append("(\(action))") }
            }
            return TextLine.lines(
                "- " + parts.joined(separator: "  "), width: form.width, indent: 2, row.level?.tone ?? .plain,
                part: row.action.map { _ in .row(block: key, key: row.key) })
        }
    }
}

extension TextLine {
    /// What is said instead of rows.
    fileprivate static func placeholder(_ text: String, _ form: TextForm) -> [TextLine] {
        text.isEmpty ? [] : lines(text, width: form.width, .faint)
    }
}

extension TableBlock {
    /// The spaces between two columns.
    private static let gap = 2
    /// The least width of a column that is shortened.
    private static let least = 3

    func lines(_ form: TextForm, key: String) -> [TextLine] {
        let header = columns.map { $0.name.printable }
        let cells = rows.map { row in row.cells.indices.map { row.text(ofColumn: $0) } }
        let names = rows.map { row in
            guard form.showsNames else { return "" }
            return "[\(row.key)]\(row.action.map { "  (\($0))" } ?? "")".printable
        }
        let widest = columns.indices.map { column in
            max(header[column].displayWidth, cells.map { $0[column].displayWidth }.max() ?? 0)
        }
        let namesWidth = min(names.map(\.displayWidth).max() ?? 0, form.width / 2)
        let widths = Self.widths(widest, within: form.width - (namesWidth > 0 ? namesWidth + Self.gap : 0))
        func line(_ cells: [String], _ name: String) -> String {
            var parts = widths.indices.map { column in
                let cell = cells[column].cut(to: widths[column])
                let space = String(repeating: " ", count: widths[column] - cell.displayWidth)
                return columns[column].isTrailing ? space + cell : cell + space
            }
            if !name.isEmpty { parts.append(name.cut(to: namesWidth)) }
            return parts.joined(separator: String(repeating: " ", count: Self.gap)).withoutSpacesAtEnd
        }
        var lines = [TextLine(line(header, ""), .heading)]
        for (index, row) in rows.enumerated() {
            let part = row.action.map { _ in TextLine.Part.row(block: key, key: row.key) }
            lines.append(TextLine(line(cells[index], names[index]), row.tone, part: part))
        }
        if rows.isEmpty { lines += TextLine.placeholder(placeholder, form) }
        let hidden = columns.count - widths.count
        let notes = [part, hidden > 0 ? "\(hidden) more columns" : nil].compactMap(\.self)
        return notes.isEmpty ? lines : lines + TextLine.lines(notes.joined(separator: ", "), width: form.width, .faint)
    }

    /// The widths of the columns, of which the widest are shortened until they fit. Columns at the end for which there is no
    /// room at all are left out.
    private static func widths(_ widest: [Int], within width: Int) -> [Int] {
        let count = max(1, min(widest.count, (width + gap) / (least + gap)))
        let room = width - gap * (count - 1)
        // What the narrow columns do not need is shared by the wide ones.
        var (rest, limit) = (room, width)
        for (taken, width) in widest.prefix(count).sorted().enumerated() {
            let share = rest / (count - taken)
            guard width <= share else {
                limit = share
                break
            }
            rest -= width
        }
        return widest.prefix(count).map { min($0, limit) }
    }
}

extension TableBlock.Row {
    /// The cell of a column in one line, with the sign of its level.
    fileprivate func text(ofColumn column: Int) -> String {
        let text = cells[column].text.plainLines.joined(separator: " ")
        return level(ofColumn: column).map { "\($0.sign) \(text)" } ?? text
    }

    /// How the line of the row is drawn: a line has one colour, which is that of the worst cell.
    fileprivate var tone: TextLine.Tone {
        let levels = Set(levels)
        return [.error, .warning, .good].first { levels.contains($0) }?.tone ?? .plain
    }
}

extension String {
    fileprivate var withoutSpacesAtEnd: String {
        guard let last = lastIndex(where: { $0 != " " }) else { return "" }
        return String(self[...last])
    }
}
