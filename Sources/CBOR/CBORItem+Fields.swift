// Fields of the most frequent types. For them the compiler prefers these functions to the generic ones, which do the same
// but look the type's functions up for each field.

// They can throw like the generic ones, because the generated code has a `try` for each field.
extension CBORWriter {
    /// Writes a field of a map: its name and its value.
    public mutating func writeField(_ name: StaticString, _ value: Int) throws {
        writeName(name)
        writeInteger(Int64(value))
    }

    /// Writes a field of a map: its name and its value.
    public mutating func writeField(_ name: StaticString, _ value: Bool) throws {
        writeName(name)
        writeBool(value)
    }

    /// Writes a field of a map: its name and its value.
    public mutating func writeField(_ name: StaticString, _ value: Double) throws {
        writeName(name)
        writeDouble(value)
    }

    /// Writes a field of a map: its name and its value.
    public mutating func writeField(_ name: StaticString, _ value: String) throws {
        writeName(name)
        writeString(value)
    }
}

extension CBORItemReader {
    /// Reads the next field of a map. See the generic function.
    public mutating func readField(_ name: StaticString, of count: inout Int) throws(OtherForm) -> Int {
        try beginField(name, of: &count)
        return try readInteger(Int.self)
    }

    /// Reads the next field of a map. See the generic function.
    public mutating func readField(_ name: StaticString, of count: inout Int) throws(OtherForm) -> Bool {
        try beginField(name, of: &count)
        return try readBool()
    }

    /// Reads the next field of a map. See the generic function.
    public mutating func readField(_ name: StaticString, of count: inout Int) throws(OtherForm) -> Double {
        try beginField(name, of: &count)
        return try readDouble()
    }

    /// Reads the next field of a map. See the generic function.
    public mutating func readField(_ name: StaticString, of count: inout Int) throws(OtherForm) -> String {
        try beginField(name, of: &count)
        return try readString()
    }

    /// Reads the name of a field that must be there. Null and a tag are not the heads of these types, so they need no check.
    @inline(__always)
    private mutating func beginField(_ name: StaticString, of count: inout Int) throws(OtherForm) {
        guard takeName(name, of: &count) else { throw OtherForm() }
    }
}
