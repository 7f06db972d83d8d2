extension ScreenContent: CustomStringConvertible {
    /// The content as plain text; see ``text(width:)``.
    public var description: String { text() }

    /// Formats the content for a terminal: title, texts, items, fields and actions, separated by empty lines.
    ///
    /// Control characters become spaces, so that content cannot control the terminal.
    /// - Parameter width: The number of characters in a line, at least 10. Title and texts are wrapped to it.
    public func text(width: Int = 80) -> String {
        let width = max(width, 10)
        var sections: [[String]] = []
        if !title.isEmpty {
            let lines = Self.wrap(title, width: width)
            sections.append(lines + [String(repeating: "=", count: lines.map(\.count).max() ?? 0)])
        }
        for text in texts {
            sections.append(
                text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
                    Self.wrap(String($0), width: width)
                })
        }
        sections.append(
            items.map { item in
                var line = "- \(item.title)"
                if !item.detail.isEmpty { line += "  \(item.detail)" }
                line += "  [\(item.id)]"
                if let action = item.action { line += "  (\(action))" }
                return Self.printable(line)
            })
        sections.append(fields.map { Self.printable($0.description) })
        sections.append(
            actions.map { action in
                Self.printable("[\(action.name)] \(action.label)\(action.isEnabled ? "" : "  (not available)")")
            })
        return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    /// Wraps a paragraph into lines. A word that is longer than a line is broken.
    private static func wrap(_ paragraph: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in printable(paragraph).split(separator: " ") {
            var rest = word
            if !line.isEmpty, line.count + 1 + rest.count <= width {
                line += " \(rest)"
                continue
            }
            if !line.isEmpty { lines.append(line) }
            while rest.count > width {
                lines.append(String(rest.prefix(width)))
                rest = rest.dropFirst(width)
            }
            line = String(rest)
        }
        return lines + (line.isEmpty && !lines.isEmpty ? [] : [line])
    }

    private static func printable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            result.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(result)
    }
}
