/// A text as people sort it: whatever the case, and with numbers by their values, so that `w-2` comes before `w-10`.
package struct NaturalText: Hashable, Sendable, Comparable {
    /// A part of a text. A number comes before what is none.
    private enum Part: Hashable, Comparable {
        /// The digits without noughts before them: of two numbers, the longer one is greater.
        case number(count: Int, digits: String)
        case text(String)
    }

    private let parts: [Part]
    /// Distinguishes texts that differ in case or in noughts only, so that their order is always the same.
    private let text: String

    package init(_ text: String) {
        self.text = text
        func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        var parts: [Part] = []
        var rest = Substring(text.lowercased()).utf8
        while let first = rest.first {
            // Both ends are at ASCII characters or at the ends of the text, so no character is cut.
            let run = rest.prefix { isDigit($0) == isDigit(first) }
            rest = rest[run.endIndex...]
            if isDigit(first) {
                let digits = run.drop { $0 == UInt8(ascii: "0") }
                parts.append(.number(count: digits.count, digits: String(Substring(digits))))
            } else {
                parts.append(.text(String(Substring(run))))
            }
        }
        self.parts = parts
    }

    package static func < (left: NaturalText, right: NaturalText) -> Bool {
        for (one, other) in zip(left.parts, right.parts) where one != other { return one < other }
        return left.parts.count == right.parts.count ? left.text < right.text : left.parts.count < right.parts.count
    }
}

extension Sequence {
    /// The elements in the natural order of a text that each has.
    package func sortedNaturally(by text: (Element) -> String) -> [Element] {
        // Each text is prepared once, not at each comparison.
        map { (NaturalText(text($0)), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
