/// A number with what it counts, so that each surface can write it for its reader.
public struct Quantity: Hashable, Sendable {
    /// What a number counts.
    public enum Kind: String, Sendable, CaseIterable {
        case number
        /// A share, of which 1 is the whole.
        case percent
        case bytes
        /// Bytes in a second.
        case rate
        /// Seconds.
        case duration
        /// Seconds since 1970.
        case time
    }

    /// The number; `nil` if it is not known.
    public let value: Double?
    public let kind: Kind

    /// Makes a quantity. A number that is not finite is not known.
    public init(_ value: Double?, _ kind: Kind = .number) {
        self.value = value.flatMap { $0.isFinite ? $0 : nil }
        self.kind = kind
    }

    /// A number of things.
    public static func count(_ value: some BinaryInteger) -> Quantity { Quantity(Double(value)) }
    public static func number(_ value: Double?) -> Quantity { Quantity(value) }
    /// A share, of which 1 is the whole.
    public static func percent(_ share: Double?) -> Quantity { Quantity(share, .percent) }
    /// A number of bytes.
    public static func size(_ bytes: some BinaryInteger) -> Quantity { Quantity(Double(bytes), .bytes) }
    /// Bytes in a second.
    public static func rate(_ bytesPerSecond: Double?) -> Quantity { Quantity(bytesPerSecond, .rate) }
    public static func seconds(_ seconds: Double?) -> Quantity { Quantity(seconds, .duration) }
    /// A point in time, in seconds since 1970.
    public static func time(_ secondsSince1970: Double?) -> Quantity { Quantity(secondsSince1970, .time) }
}

/// A value that a screen shows: a text, or a quantity.
public enum ContentValue: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    case text(String)
    case quantity(Quantity)

    public init(stringLiteral text: String) { self = .text(text) }

    public static func count(_ value: some BinaryInteger) -> ContentValue { .quantity(.count(value)) }
    public static func number(_ value: Double?) -> ContentValue { .quantity(.number(value)) }
    /// A share, of which 1 is the whole.
    public static func percent(_ share: Double?) -> ContentValue { .quantity(.percent(share)) }
    /// A number of bytes.
    public static func size(_ bytes: some BinaryInteger) -> ContentValue { .quantity(.size(bytes)) }
    /// Bytes in a second.
    public static func rate(_ bytesPerSecond: Double?) -> ContentValue { .quantity(.rate(bytesPerSecond)) }
    public static func seconds(_ seconds: Double?) -> ContentValue { .quantity(.seconds(seconds)) }
    /// A point in time, in seconds since 1970.
    public static func time(_ secondsSince1970: Double?) -> ContentValue { .quantity(.time(secondsSince1970)) }

    /// The value on the wire: a text, a number, or a list of a number and its kind. A list of the kind alone is not known.
    public init(_ node: ContentNode) {
        switch node {
        case .text(let text): self = .text(text)
        case .number(let number): self = .quantity(Quantity(number))
        case .bool(let value): self = .text(value ? "yes" : "no")
        case .list(let parts):
            let kind = parts.last?.text.flatMap(Quantity.Kind.init(rawValue:))
            self = .quantity(Quantity(parts.first?.number, kind ?? .number))
        case .null, .map: self = .quantity(Quantity(nil))
        }
    }

    public var node: ContentNode {
        switch self {
        case .text(let text): return .text(text)
        case .quantity(let quantity):
            guard let value = quantity.value else { return .list([.text(quantity.kind.rawValue)]) }
            guard quantity.kind != .number else { return .number(value) }
            return .list([.number(value), .text(quantity.kind.rawValue)])
        }
    }
}
