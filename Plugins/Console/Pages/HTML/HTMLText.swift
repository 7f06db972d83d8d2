import SceneContent

/// Texts as they are written into markup, in elements as in attributes.
enum HTMLText {
    /// Appends a text so that it can be nothing but text.
    ///
    /// Control characters and those that change the direction of what follows are replaced by a sign that can be seen. What is
    /// longer than a scene's text may be is cut.
    static func append(_ text: String, to markup: inout String) {
        let text = text.cut(toBytes: ContentBounds.text)
        guard !text.utf8.allSatisfy(isPlain) else {
            markup += text
            return
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": markup += "&amp;"
            case "<": markup += "&lt;"
            case ">": markup += "&gt;"
            case "\"": markup += "&quot;"
            case "'": markup += "&#39;"
            default: if let scalar = shown(scalar) { markup.unicodeScalars.append(scalar) }
            }
        }
    }

    /// The text as a page shows it, and as a browser posts it that has it from there.
    static func shown(_ text: String) -> String {
        let text = text.cut(toBytes: ContentBounds.text)
        return String(String.UnicodeScalarView(text.unicodeScalars.compactMap(shown)))
    }

    private static func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case "\n", "\t": scalar
        case "\r": nil
        case "\u{2028}", "\u{2029}": "\n"
        default: isHarmful(scalar) ? "\u{FFFD}" : scalar
        }
    }

    /// Whether a byte stands for itself in markup. The first bytes of all characters that may not are among the others.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x26, 0x3C, 0x3E, 0x22, 0x27: false
        case 0x09, 0x0A: true
        case 0x00..<0x20, 0x7F, 0xC2, 0xE2, 0xEF, 0xF3, 0xF0, 0xF1, 0xF2, 0xF4: false
        default: true
        }
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Controls.
        case 0x00..<0x20, 0x7F..<0xA0: true
        // Embeddings, overrides and isolates of directions. Marks that say the direction of a place are left as they are.
        case 0x202A...0x202E, 0x2066...0x2069: true
        // Deprecated formats, annotations, and tags, which nobody sees.
        case 0x206A...0x206F, 0xFFF9...0xFFFB, 0xE0001: true
        // No characters.
        case 0xFDD0...0xFDEF: true
        default: scalar.value & 0xFFFE == 0xFFFE
        }
    }

    /// The text without line feeds, as a field of one line has it.
    static func line(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar -> Unicode.Scalar in
                    switch scalar {
                    case "\n", "\r", "\u{2028}", "\u{2029}": " "
                    default: scalar
                    }
                }))
    }
}
