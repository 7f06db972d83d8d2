/// The pairs of a form, as `application/x-www-form-urlencoded`.
package struct FormValues: Sendable {
    /// Why a form is refused.
    package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        case tooMany
        case repeated
        case malformed

        package var description: String {
            switch self {
            case .tooMany: "The form has more than \(FormValues.maximumCount) fields."
            case .repeated: "The form has a field twice."
            case .malformed: "The form is not encoded as forms are."
            }
        }
    }

    /// The number of pairs in a form: a screen has fewer fields.
    package static let maximumCount = 1000

    package let pairs: [(name: String, value: String)]

    /// Reads a form or a query.
    ///
    /// It is strict: two readers that understand a hostile text differently are how a check is passed with one meaning and
    /// the action is performed with another.
    package init(_ bytes: some Collection<UInt8>) throws(Problem) {
        var pairs: [(name: String, value: String)] = []
        var names: Set<String> = []
        guard !bytes.isEmpty else {
            self.pairs = []
            return
        }
        for part in bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            guard !part.isEmpty else { throw .malformed }
            guard pairs.count < Self.maximumCount else { throw .tooMany }
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let name = try Self.decode(part[..<end])
            let value = end == part.endIndex ? "" : try Self.decode(part[part.index(after: end)...])
            guard !name.isEmpty else { throw .malformed }
            guard names.insert(name).inserted else { throw .repeated }
            pairs.append((name, value))
        }
        self.pairs = pairs
    }

    /// The value of a field; `nil` if the form does not have it.
    package subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

    /// Decodes a text whose bytes are written as `%41`, and its spaces as `+`.
    /// - Parameter plusIsSpace: whether a plus sign is a space, as in forms and queries, and not itself, as in paths.
    static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = true) throws(Problem) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = digit(rest.next()), let low = digit(rest.next()) else { throw .malformed }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        // No text that a person types has this character, and C programs take it for the end.
        guard !decoded.contains(0), let text = String(validating: decoded, as: UTF8.self) else { throw .malformed }
        return text
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        byte.flatMap { Character(UnicodeScalar($0)).hexDigitValue }.map { UInt8($0) }
    }
}
