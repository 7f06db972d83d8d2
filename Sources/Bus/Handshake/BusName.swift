package import Messaging

/// The name of a host, a plugin, a plugin's instance or a peer.
///
/// Names identify processes in tables, logs and refusals, and a host's name is also the name of files. So there is one
/// rule for all of them, and each name is checked where it enters the process. It then travels as this type, or as its
/// ``text``.
package struct BusName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// The maximum length in bytes. With the endings of its files, such a name fits into a file's name.
    package static let maximumLength = 128
    /// Names that stand for something other than a process, such as the host in the tap.
    static let reserved = [TapRecord.host, TapRecord.everyone, "everyone"]
    /// The rule, in words.
    package static let rule = """
        a name begins with a letter or a digit, has only letters, digits, '-', '_' and '.', and has at most \
        \(maximumLength) bytes
        """
    /// The name of a host that is given no other.
    package static let `default` = BusName(ofChecked: "default")

    /// - Throws: ``Invalid`` when the text does not follow the rule.
    package init(_ text: String) throws(Invalid) {
        if let problem = Self.problem(with: text) {
            throw Invalid(description: "\(Self.quoted(text)) is not a name: it \(problem); \(Self.rule)")
        }
        self.text = text
    }

    private init(ofChecked text: String) { self.text = text }

    package var description: String { text }

    /// A text that does not follow the rule. The description says the rule, and what is wrong.
    package struct Invalid: ExitCoded {
        package let description: String
        package let exitCode = ProcessExitCode.usage
    }

    // MARK: - The rule

    /// Returns what is wrong with a text as a name, such as "begins with '.'"; `nil` when it is one.
    package static func problem(with text: String) -> String? {
        let count = text.utf8.count
        guard count > 0 else { return "is empty" }
        guard count <= maximumLength else { return "has \(count) bytes" }
        var isFirst = true
        for scalar in text.unicodeScalars {
            guard isAllowed(scalar, isFirst: isFirst) else {
                return isFirst ? "begins with \(words(for: scalar))" : "has \(words(for: scalar))"
            }
            isFirst = false
        }
        return reserved.contains(text) ? "is reserved" : nil
    }

    private static func isAllowed(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": return true
        case "-", "_", ".": return !isFirst
        default: break
        }
        // Among the letters are some that are not shown.
        guard !scalar.isASCII, !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber:
            return true
        // Scripts such as Devanagari write vowels as marks.
        case .nonspacingMark, .spacingMark: return !isFirst
        default: return false
        }
    }

    private static func words(for scalar: Unicode.Scalar) -> String {
        if scalar == " " { return "a space" }
        if scalar.isASCII, scalar.value > 0x20, scalar.value < 0x7F { return "'\(scalar)'" }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }

    /// Returns the beginning of a text of any content, in quotes.
    private static func quoted(_ text: String) -> String {
        let limit = 40
        var words = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            // Terminals must not interpret what is not shown.
            let isShown = scalar.isASCII ? (0x20..<0x7F).contains(scalar.value) : isAllowed(scalar, isFirst: false)
            words += isShown ? String(scalar) : "\u{FFFD}"
        }
        return "'\(words)\(text.unicodeScalars.count > limit ? "…" : "")'"
    }

    // MARK: - This process

    /// Returns a name for this process that no other process has, such as `lobby-4711-k7qf`.
    ///
    /// The process ID alone is not enough, because each operating-system container has its own process 1.
    /// - Parameters:
    ///   - id: what the process is.
    ///   - pid: its process ID.
    ///   - life: the random number from which the last part is made.
    package static func unique(
        _ id: BusName, pid: Int32, life: UInt64 = ProcessIdentity.ownLife
    ) -> BusName {
        // No vowels, which could make words, and no digits that look like letters.
        let letters: [Character] = Array("bcdfghjkmnpqrstvwxz2345679")
        var (rest, ending) = (life, "-\(pid)-")
        for _ in 0..<4 {
            ending.append(letters[Int(rest % UInt64(letters.count))])
            rest /= UInt64(letters.count)
        }
        var beginning = id.text
        while beginning.utf8.count + ending.utf8.count > maximumLength { beginning.removeLast() }
        return BusName(ofChecked: beginning + ending)
    }
}
