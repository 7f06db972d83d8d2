extension CBORValue: ExpressibleByNilLiteral {
    /// Makes null.
    public init(nilLiteral: ()) { self = .null }
}

extension CBORValue: ExpressibleByBooleanLiteral {
    /// Makes a boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension CBORValue: ExpressibleByIntegerLiteral {
    /// Makes an integer.
    public init(integerLiteral value: Int64) { self = .int(value) }
}

extension CBORValue: ExpressibleByFloatLiteral {
    /// Makes a floating-point number.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension CBORValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Makes text.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension CBORValue: ExpressibleByArrayLiteral {
    /// Makes an array.
    public init(arrayLiteral elements: CBORValue...) { self = .array(elements) }
}

extension CBORValue: ExpressibleByDictionaryLiteral {
    /// Makes a map in the order of the literal. A repeated key replaces the value of the earlier entry.
    public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) {
        self = .map(CBORMap(elements.map { CBORMap.Pair(key: $0, value: $1) }))
    }
}

extension CBORMap: ExpressibleByDictionaryLiteral {
    /// Makes a map in the order of the literal. A repeated key replaces the value of the earlier entry.
    public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) {
        self.init(elements.map { Pair(key: $0, value: $1) })
    }
}
