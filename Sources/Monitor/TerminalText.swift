extension String {
    /// The text as part of one line of a terminal: what a peer calls itself, or a disk, must not move the cursor, hide what
    /// stands before it, or make lines of its own. What would is replaced by U+FFFD.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isUnprintable ? "\u{FFFD}" : $0 }))
    }

    /// The same for a text of several lines.
    package var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }
}

extension Unicode.Scalar {
    fileprivate var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        // Those that turn the direction of a line; others join the parts of an emoji.
        case .format: return properties.isBidiControl
        default: return false
        }
    }
}
