/// Text that is written in pieces and is cut at a maximum length.
struct BoundedText {
    private(set) var text = ""
    private var length = 0
    private let maximumLength: Int

    /// - Parameter maximumLength: The maximum in Unicode scalars, including the ellipsis of a text that is cut.
    init(maximumLength: Int = .max) {
        self.maximumLength = maximumLength
    }

    /// Whether something has been left out. Further writes have no effect.
    var isFull: Bool { length > maximumLength }

    /// The written text, with an ellipsis at the end if something has been left out.
    var result: String {
        guard isFull else { return text }
        guard maximumLength > 0 else { return "" }
        return String(text.unicodeScalars.dropLast()) + "…"
    }

    /// Adds as much of the text as fits.
    mutating func write(_ piece: String) {
        guard maximumLength < .max else { return text += piece }
        for scalar in piece.unicodeScalars { write(scalar) }
    }

    /// Adds one Unicode scalar.
    @inline(__always)
    mutating func write(_ scalar: Unicode.Scalar) {
        guard !isFull else { return }
        length += 1
        if !isFull { text.unicodeScalars.append(scalar) }
    }

    /// Adds text as a JSON string. Control characters are escaped, so the text cannot control a terminal.
    mutating func writeQuoted(_ string: String) {
        write("\"" as Unicode.Scalar)
        for scalar in string.unicodeScalars {
            if isFull { return }
            switch scalar {
            case "\"": write("\\\"")
            case "\\": write("\\\\")
            case "\n": write("\\n")
            case "\r": write("\\r")
            case "\t": write("\\t")
            case "\u{0}"..<" ", "\u{7f}"..."\u{9f}":
                write("\\u00")
                writeHexadecimal(UInt8(truncatingIfNeeded: scalar.value))
            default: write(scalar)
            }
        }
        write("\"" as Unicode.Scalar)
    }

    /// Adds a byte as two hexadecimal digits.
    mutating func writeHexadecimal(_ byte: UInt8) {
        for digit in [byte >> 4, byte & 15] {
            write(Unicode.Scalar(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10))
        }
    }
}
