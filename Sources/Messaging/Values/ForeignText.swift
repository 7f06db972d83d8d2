import CBOR

extension String {
    /// The maximum length of a foreign text in a line, in Unicode scalars.
    package static let maximumForeignText = 1000

    /// Makes text of another process fit for one line of a log or an error: it is cut at a maximum length, and control
    /// characters are written as escapes, such as `\n` and `\u{1b}`.
    ///
    /// What a peer says must not fill a log, act on a terminal, or look like a line that the process has written itself.
    package init(foreign text: String, maximumLength: Int = String.maximumForeignText) {
        var shown = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        // Not `count`, which would walk through all of a text that is cut.
        for scalar in rest.prefix(maximumLength) {
            switch scalar {
            case "\n": shown.append(contentsOf: "\\n".unicodeScalars)
            case "\r": shown.append(contentsOf: "\\r".unicodeScalars)
            case "\t": shown.append(contentsOf: "\\t".unicodeScalars)
            case _ where scalar.isUnprintable:
                shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default: shown.append(scalar)
            }
        }
        rest = rest.dropFirst(maximumLength)
        if !rest.isEmpty { shown.append("…") }
        self.init(shown)
    }

    /// Makes the text of an error that contains, or may contain, text of another process.
    package init(foreign error: any Error) { self.init(foreign: String(explaining: error)) }
}

extension Unicode.Scalar {
    /// Whether the scalar would act on a terminal, or on the text around it, instead of being shown.
    package var isUnprintable: Bool {
        // Most text is ASCII, for which no table is needed.
        if value < 0x7F { return value < 0x20 }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        // Only those that change the direction of the text: other format characters join the parts of an emoji.
        case .format: return properties.isBidiControl
        default: return false
        }
    }
}
