/// Any CBOR item, for code that has no type for it, such as monitors, tools and tests.
///
/// Some distinctions are lost. Tags are skipped, but for the one of secrets. Undefined and the unassigned simple values are null. Floating-point
/// numbers of any precision, and integers below `Int64.min`, are `Double`.
public enum CBORValue: Hashable, Sendable {
    /// Null.
    case null
    /// True or false.
    case bool(Bool)
    /// An integer in the range of `Int64`.
    case int(Int64)
    /// An integer above `Int64.max`. Use `int` for all other integers; otherwise equal numbers compare as different.
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
    /// A value that is not shown: it is dots in diagnostic notation and in JSON, and keeps its tag when it is encoded.
    indirect case secret(Secret<CBORValue>)

    /// Makes `int` if the integer fits, else `unsigned`.
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

    /// The integer, or nil for any other value and for an integer that does not fit in `Int`.
    public var intValue: Int? {
        if case .int(let value) = self { Int(exactly: value) } else { nil }
    }

    /// The number, or nil for any other value. An integer is rounded if necessary.
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

    /// The value of a text key, or nil if there is none or this is not a map.
    public subscript(key: String) -> CBORValue? { mapValue?[key] }

    /// The element at an index, or nil if there is none or this is not an array.
    public subscript(index: Int) -> CBORValue? {
        guard let elements = arrayValue, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}
