import CProcess

extension Character {
    /// How many columns of a terminal the character takes. Most of East Asia's characters and emoji take two, and a
    /// combining mark takes none of its own.
    package var displayWidth: Int {
        if isASCII { return 1 }
        // A character of several parts, such as an emoji of a family, is not wider than two columns.
        return min(2, unicodeScalars.reduce(0) { $0 + Int(scenebus_columns($1.value)) })
    }
}

extension String {
    /// How many columns of a terminal the text takes.
    package var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    /// The text with spaces after it up to a number of columns.
    package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - displayWidth)) }

    /// The text, cut with an ellipsis if it takes more than a number of columns.
    package func cut(to width: Int) -> String {
        guard displayWidth > width else { return self }
        var columns = 1
        let part = prefix {
            columns += $0.displayWidth
            return columns <= width
        }
        return part + "…"
    }
}
