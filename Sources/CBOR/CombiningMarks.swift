/// A bound on the combining marks, such as accents, that follow each other in a text.
///
/// To compare two strings, or to find one in a dictionary, Swift puts the marks of each character in order, which takes time
/// in the square of their number: one text of a few megabytes of marks would stop a process for hours. Thirty in a row are
/// what Unicode's Stream-Safe Text Format allows, more than any language needs
/// (<https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format>).
enum CombiningMarks {
    static let maximum = 30

    /// A mark has two bytes or more: a run that is too long has one of any so many bytes in a row.
    private static let step = 2 * (maximum + 1)

    /// Where the first mark too many begins in valid UTF-8; nil when there is none.
    @inline(__always)
    static func excess(in text: UnsafeRawBufferPointer) -> Int? {
        text.count < step ? nil : search(text)
    }

    private static func search(_ text: UnsafeRawBufferPointer) -> Int? {
        var sample = step - 1
        while sample < text.count {
            let (isMark, place) = text.scalar(around: sample)
            if isMark {
                var end = place.lowerBound
                while end > 0, case let before = text.scalar(around: end - 1), before.isMark {
                    end = before.place.lowerBound
                }
                var count = 0
                while end < text.count, case let next = text.scalar(around: end), next.isMark {
                    count += 1
                    guard count <= maximum else { return end }
                    end = next.place.upperBound
                }
                sample = end
            }
            sample += step
        }
        return nil
    }

    /// The text with a character that is not seen, U+034F, in front of each mark too many.
    static func separated(_ text: String) -> String {
        var separated = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            count = scalar.isMark ? count + 1 : 0
            if count > maximum {
                separated.append("\u{34f}")
                count = 1
            }
            separated.append(scalar)
        }
        return String(separated)
    }
}

extension Unicode.Scalar {
    /// Whether it is put in order with the marks around it.
    fileprivate var isMark: Bool { value >= 0x300 && properties.canonicalCombiningClass != .notReordered }
}

extension UnsafeRawBufferPointer {
    /// What the scalar is, and where it lies, that has a byte of this valid UTF-8.
    fileprivate func scalar(around index: Int) -> (isMark: Bool, place: Range<Int>) {
        var start = index
        while self[start] & 0xc0 == 0x80 { start -= 1 }
        let first = self[start]
        let length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
        var value = UInt32(first) & 0x7f >> (length == 1 ? 0 : UInt32(length))
        for index in start + 1..<start + length { value = value << 6 | UInt32(self[index] & 0x3f) }
        return (Unicode.Scalar(value)?.isMark ?? false, start..<start + length)
    }
}
