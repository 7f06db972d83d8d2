/// Turns the methods of a protocol into responder messages.
///
/// A method that is `async throws` is a request: it has a reply (or none but its end), and can fail on its way. A method
/// with neither effect that returns nothing is a post. Parameters and replies are `Codable & Sendable` values.
///
///     @ResponderMessages protocol AccountMessages {
///         func accountLogin(username: String, password: String) async throws -> User
///         func accountShow(page: AccountPage)
///     }
///     extension ResponderChain: AccountMessages {}
///
/// A responder handles the messages by conforming to the protocol. A method that it leaves out climbs on, as does a call of
/// `coordinatingResponder.chain` from inside of a handler. The macro also makes `AccountMessagesList`, the messages as
/// types: what a plugin hands to the bus to say what it handles.
///
/// Conform in the class that implements the methods: a subclass of a conforming class does not replace a method that its
/// superclass left to climb on.
@attached(peer, names: suffixed(List))
@attached(extension, names: arbitrary)
@attached(memberAttribute)
public macro ResponderMessages() = #externalMacro(module: "CoordinatorMacros", type: "ResponderMessagesMacro")

/// Makes an optional property of ``AppDependency`` an entry of the container.
///
///     extension AppDependency { @Entry var account: Account? }
///
/// The property's name is the entry's key on the wire. The value is `Codable & Sendable`: data, or a ``ServiceReference``.
@attached(accessor)
public macro Entry() = #externalMacro(module: "CoordinatorMacros", type: "EntryMacro")
