/// Any CBOR item, for code that has no type for it: monitors, tools, tests.
///
/// Some distinctions are not kept: tags are skipped, undefined and the unassigned simple values are null, a number of
/// any precision is a `Double`, and so is an integer below `Int64.min`.
public enum CBORValue: Hashable, Sendable {
    /// Nothing.
    case null
    /// True or false.
    case bool(Bool)
    /// An integer in the range of `Int64`.
    case int(Int64)
    /// An integer above `Int64.max`; use `int` for all others, or equal numbers compare as different.
    case unsigned(UInt64)
    /// A floating-point number.
    case double(Double)
    /// Text.
    case string(String)
    /// Bytes.
    case bytes([UInt8])
    /// Values in order.
    case array([CBORValue])
    /// Keys and values in order.
    case map(CBORMap)

    /// Makes `int` or `unsigned`, whichever an integer calls for.
    init(integer: UInt64) {
        self = Int64(exactly: integer).map(CBORValue.int) ?? .unsigned(integer)
    }
}

extension CBORValue {
    /// Whether this is null.
    public var isNull: Bool { self == .null }

    /// The boolean, or nil for any other value.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer, or nil for any other value and for one that does not fit.
    public var intValue: Int? {
        if case .int(let value) = self { Int(exactly: value) } else { nil }
    }

    /// The number, an integer rounded if it has to be; nil for any other value.
    public var doubleValue: Double? {
        switch self {
        case .double(let value): value
        case .int(let value): Double(value)
        case .unsigned(let value): Double(value)
        default: nil
        }
    }

    /// The text, or nil for any other value.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The bytes, or nil for any other value.
    public var bytesValue: [UInt8]? {
        if case .bytes(let value) = self { value } else { nil }
    }

    /// The elements, or nil for any other value.
    public var arrayValue: [CBORValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The keys and values, or nil for any other value.
    public var mapValue: CBORMap? {
        if case .map(let value) = self { value } else { nil }
    }

    /// The value under a text key; nil if there is none or this is no map.
    public subscript(key: String) -> CBORValue? { mapValue?[key] }

    /// The element at a place; nil if there is none or this is no array.
    public subscript(index: Int) -> CBORValue? {
        guard let elements = arrayValue, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}
