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

    /// The JSON text for a terminal, with control characters written as escapes.
    ///
    /// Nothing is lost: such characters occur only inside JSON strings.
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
        // Only those that change the direction of the text: other format characters join the parts of an emoji.
        case .format: return properties.isBidiControl
        default: return false
        }
    }
}
