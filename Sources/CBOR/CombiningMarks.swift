/// A limit on the number of combining marks, such as accents, in a row.
///
/// To compare two strings, or to look one up in a dictionary, Swift sorts the marks of each character. This takes time
/// quadratic in their number, so a few megabytes of marks would block a process for hours. The limit is that of
/// Unicode's Stream-Safe Text Format: 30 marks, more than any language needs
/// (<https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format>).
enum CombiningMarks {
    static let maximum = 30

    /// The distance between the bytes that are examined. A mark has at least two bytes, so a run that is too long has
    /// at least this many bytes and contains an examined byte.
    private static let step = 2 * (maximum + 1)

    /// The offset in valid UTF-8 of the first mark that exceeds the limit, or nil if there is none.
    @inline(__always)
    static func excess(in text: UnsafeRawBufferPointer) -> Int? {
        text.count < step || text.isASCII ? nil : search(text)
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

    /// The text with the invisible character U+034F inserted wherever a run of marks would exceed the limit.
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
    /// Whether this is a combining mark that Swift sorts among its neighbours.
    fileprivate var isMark: Bool { value >= 0x300 && properties.canonicalCombiningClass != .notReordered }
}

extension UnsafeRawBufferPointer {
    /// Whether the scalar that contains the byte at `index` of this valid UTF-8 is a mark, and the scalar's range.
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
