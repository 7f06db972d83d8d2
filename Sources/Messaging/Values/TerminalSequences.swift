extension String {
    /// The text without the sequences that control a terminal (ECMA-48), such as those for colours.
    ///
    /// A sequence that does not end is not one: only its first character is unprintable, and the rest is text.
    package var withoutTerminalSequences: String {
        guard unicodeScalars.contains(where: { $0 == "\u{1B}" || $0 == "\u{9B}" || $0 == "\u{9D}" }) else {
            return self
        }
        let scalars = Array(unicodeScalars)
        var text = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            if let end = Self.endOfSequence(at: index, in: scalars) {
                index = end
            } else {
                text.append(scalars[index])
                index += 1
            }
        }
        return String(text)
    }

    /// The longest sequence, in scalars. Longer ones are shown: nothing that matters may hide in one.
    private static let maximumSequence = 512

    /// The index after the sequence that starts at an index; nil if none starts there.
    private static func endOfSequence(at start: Int, in scalars: [Unicode.Scalar]) -> Int? {
        let last = Swift.min(scalars.count, start + maximumSequence)
        func end(from index: Int, where isEnd: (Unicode.Scalar) -> Bool, within inner: ClosedRange<UInt32>) -> Int? {
            var index = index
            while index < last {
                if isEnd(scalars[index]) { return index + 1 }
                guard inner.contains(scalars[index].value) else { return nil }
                index += 1
            }
            return nil
        }
        let control: (Unicode.Scalar) -> Bool = { (0x40...0x7E).contains($0.value) }
        switch scalars[start] {
        case "\u{9B}": return end(from: start + 1, where: control, within: 0x20...0x3F)
        case "\u{9D}": return endOfString(from: start + 1, to: last, in: scalars)
        case "\u{1B}" where start + 1 < last:
            switch scalars[start + 1] {
            case "[": return end(from: start + 2, where: control, within: 0x20...0x3F)
            case "]", "P", "X", "^", "_": return endOfString(from: start + 2, to: last, in: scalars)
            default: return end(from: start + 1, where: { (0x30...0x7E).contains($0.value) }, within: 0x20...0x2F)
            }
        default: return nil
        }
    }

    /// The index after the end of a control string, which a bell or a string terminator ends.
    private static func endOfString(from start: Int, to last: Int, in scalars: [Unicode.Scalar]) -> Int? {
        var index = start
        while index < last {
            switch scalars[index] {
            case "\u{7}", "\u{9C}": return index + 1
            case "\u{1B}": return index + 1 < last && scalars[index + 1] == "\\" ? index + 2 : nil
            default: index += 1
            }
        }
        return nil
    }
}
