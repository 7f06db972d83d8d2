public import CBOR

/// A field of a message whose value is a ``Secret``: the command line asks for it instead of taking it as an argument.
public struct SecretField: Codable, Hashable, Sendable {
    /// The field's key in the message's payload.
    public var name: String
    /// Whether the message can be sent without it.
    public var isOptional: Bool

    public init(_ name: String, isOptional: Bool = false) {
        self.name = name
        self.isOptional = isOptional
    }
}

/// The code that ``ResponderMessages()`` generates asks here which fields are secrets. The macro does not know the types,
/// which may have other names.
extension SecretField {
    /// The field, if its type is a secret: none.
    public static func list<Value>(_ name: String, _ type: Value.Type) -> [SecretField] { [] }

    /// The field, if its type is a secret: one.
    public static func list<Value>(_ name: String, _ type: Secret<Value>.Type) -> [SecretField] {
        [SecretField(name)]
    }

    /// The field, if its type is a secret: one that may be missing.
    public static func list<Value>(_ name: String, _ type: Secret<Value>?.Type) -> [SecretField] {
        [SecretField(name, isOptional: true)]
    }
}
