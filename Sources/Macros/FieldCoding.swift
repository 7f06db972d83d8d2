/// The generated code with which a structure writes its fields as a CBOR map, and reads them.
///
/// It calls functions with overloads: for a type that writes itself, for one that is only `Codable`, and for optionals
/// of both. So the macro need not know the types, which are not even visible in an extension of a nested type.
struct FieldCoding {
    /// The names of the fields, which are also their keys.
    let fields: [String]
    /// The access level of the structure, with a space; empty for internal.
    let access: String
    /// Whether the structure may have `Codable` code that the macro does not see, such as keys in an extension.
    var checksKeys = false

    /// The members `writeItem(to:)` and `init(fromItem:)`.
    var text: String {
        // A field may be called like a parameter of the function, so all names of fields are members of `self`.
        let count =
            fields.isEmpty
            ? "0" : fields.map { "Messaging.CBORWriter.fieldCount(self.\($0))" }.joined(separator: " + ")
        // Does not compile without the compiler's own keys, and stops a debug build in which they have other names.
        let check =
            !checksKeys || fields.isEmpty
            ? ""
            : """
            assert([\(fields.map { "CodingKeys.\($0)" }.joined(separator: ", "))].map(\\.stringValue) \
            == [\(fields.map { "\"\(Self.key($0))\"" }.joined(separator: ", "))], \
            "leave @CBORItem out: the type has coding keys of its own")

            """
        let writes = fields.map { "try writer.writeField(\"\(Self.key($0))\", self.\($0))\n" }.joined()
        let reads = fields.map { "self.\($0) = try reader.readField(\"\(Self.key($0))\", of: &count)\n" }.joined()
        return """
            \(access)func writeItem(to writer: inout Messaging.CBORWriter) throws {
            \(check)try writer.beginFields(\(count))
            \(writes)writer.endFields()
            }
            \(access)init(fromItem reader: inout Messaging.CBORItemReader) throws(Messaging.CBORItemReader.OtherForm) {
            \(fields.isEmpty ? "let" : "var") count = try reader.readFields()
            \(reads)try reader.endFields(count)
            }
            """
    }

    /// The name without the backticks of a keyword.
    private static func key(_ name: String) -> String { name.filter { $0 != "`" } }
}
