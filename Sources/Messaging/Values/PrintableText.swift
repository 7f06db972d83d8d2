extension String {
    /// The text for one line of a terminal, with control characters replaced by U+FFFD.
    ///
    /// The name of a peer or a disk must not move the cursor, hide the text before it, or start a new line.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isUnprintable ? "\u{FFFD}" : $0 }))
    }

    /// The text for several lines of a terminal: like ``printable``, but line feeds stay.
    package var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }
}
