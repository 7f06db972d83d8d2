/// A value that nobody may see by accident, such as a password or a token.
///
/// In CBOR it is the value with a tag in front that says that it is secret. Whatever shows items without a schema, such as a
/// monitor, shows ``hidden`` in its place. `print`, interpolation, `dump` and the messages of errors show that, too. The value
/// itself is only in ``revealed``.
///
///     @ResponderMessages protocol MailMessages {
///         func mailConnect(user: String, pin: Secret<String>) async throws
///     }
///     func mailConnect(user: String, pin: Secret<String>) async throws { try await server.logIn(user, pin.revealed) }
///
/// A decoder accepts the value without the tag as well, from a peer that knows no secrets and from a file of configuration.
/// An encoder that has no tags, such as `JSONEncoder`, throws an error instead of writing the value. The memory of the value
/// is not wiped when it is freed.
public struct Secret<Value: Codable & Sendable>: Sendable {
    /// What is shown in place of any secret. Its length says nothing about the value's.
    public static var hidden: String { SecretTag.hidden }

    /// The value itself. Do not keep it, and pass it on only to code that does not show it.
    public let revealed: Value

    /// Hides a value.
    public init(_ value: Value) {
        revealed = value
    }
}

extension Secret: HidingType {
    static var hiddenType: Any.Type { Value.self }
}

extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}

// All three are needed: `print`, the interpolation of an enclosing value, and `dump` each use another one.
extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Self.hidden }

    public var debugDescription: String { Self.hidden }

    /// A mirror without the value.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
