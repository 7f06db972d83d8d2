/// How a cell of a terminal looks.
package struct TerminalStyle: Hashable, Sendable {
    /// One of the colours that each user has chosen for the terminal.
    package enum Color: UInt8, Sendable {
        case red = 31
        case green = 32
        case yellow = 33
        case cyan = 36
    }

    package var isBold = false
    package var isDim = false
    package var isReversed = false
    package var color: Color?

    package init(isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false, color: Color? = nil) {
        (self.isBold, self.isDim, self.isReversed, self.color) = (isBold, isDim, isReversed, color)
    }

    package static let plain = TerminalStyle()

    /// The sequence that sets this style, whatever was set before.
    var sequence: String {
        var codes = ["0"]
        if isBold { codes.append("1") }
        if isDim { codes.append("2") }
        if isReversed { codes.append("7") }
        if let color { codes.append("\(color.rawValue)") }
        return "\u{1B}[\(codes.joined(separator: ";"))m"
    }
}
