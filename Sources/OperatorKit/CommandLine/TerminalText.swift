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

    /// The same for JSON, which loses nothing: what would act on the terminal stands within its texts only, and becomes an escape.
    package var printableJSON: String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            guard scalar.isUnprintable, scalar.value <= 0xFFFF else {
                text.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            text.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
        }
        return String(text)
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
