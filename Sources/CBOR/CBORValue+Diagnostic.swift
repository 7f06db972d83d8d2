extension CBORValue: CustomStringConvertible {
    /// The value in CBOR's diagnostic notation (RFC 8949, section 8), on one line. A secret is six dots.
    public var diagnostic: String {
        var text = BoundedText()
        text.writeDiagnostic(self)
        return text.result
    }

    /// The value in diagnostic notation, cut with `…` at a maximum length.
    ///
    /// The part that is cut is not visited, so the work is bounded as well.
    /// - Parameter maximumLength: The maximum in Unicode scalars, including the `…`.
    public func diagnostic(maximumLength: Int) -> String {
        var text = BoundedText(maximumLength: max(0, maximumLength))
        text.writeDiagnostic(self)
        return text.result
    }

    /// The same as ``diagnostic``.
    public var description: String { diagnostic }
}

extension BoundedText {
    fileprivate mutating func writeDiagnostic(_ value: CBORValue) {
        switch value {
        case .null: write("null")
        case .bool(let value): write(value ? "true" : "false")
        case .int(let value): write("\(value)")
        case .unsigned(let value): write("\(value)")
        case .double(let value): write(value.diagnostic)
        case .string(let value): writeQuoted(value)
        case .bytes(let value):
            write("h'")
            for byte in value where !isFull { writeHexadecimal(byte) }
            write("'")
        case .array(let elements):
            write("[")
            for (index, element) in elements.enumerated() {
                if isFull { return }
                if index > 0 { write(", ") }
                writeDiagnostic(element)
            }
            write("]")
        case .map(let map):
            write("{")
            for (index, entry) in map.entries.enumerated() {
                if isFull { return }
                if index > 0 { write(", ") }
                writeDiagnostic(entry.key)
                write(": ")
                writeDiagnostic(entry.value)
            }
            write("}")
        case .secret: write(SecretTag.hidden)
        }
    }
}

extension Double {
    /// The number as RFC 8949 writes it: always with a decimal point, and with no leading zeros in the exponent.
    fileprivate var diagnostic: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-Infinity" : "Infinity" }
        let parts = description.split(separator: "e")
        guard parts.count == 2 else { return description }
        let fraction = parts[0].contains(".") ? "" : ".0"
        let sign = parts[1].hasPrefix("-") ? "-" : "+"
        return "\(parts[0])\(fraction)e\(sign)\(parts[1].drop { "+-0".contains($0) })"
    }
}
