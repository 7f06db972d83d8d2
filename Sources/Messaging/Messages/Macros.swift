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

/// Says of a request that handling it twice does no harm: when its link breaks it is sent again, until its deadline.
///
///     @ResponderMessages protocol LampMessages {
///         @Idempotent func lampSet(brightness: Int) async throws
///     }
@attached(peer)
public macro Idempotent() = #externalMacro(module: "CoordinatorMacros", type: "DeliveryMacro")

/// Says of a request that it must never be handled twice and never be lost in silence.
///
/// The host writes down that it hands the request on before it does, and the reply before it sends it; a copy that comes again
/// is answered from that record. Where a process died between the two, the sender gets ``MessageError/Code/peerLost`` with
/// ``MessageError/mayHaveBeenHandled``. The handler finds its id in ``MessageContext/messageID``. It costs two writes to the
/// host's disk, shared by all requests of the same moment.
///
///     @ResponderMessages protocol OrderMessages {
///         @Once func orderPlace(item: String) async throws -> Order
///     }
@attached(peer)
public macro Once() = #externalMacro(module: "CoordinatorMacros", type: "DeliveryMacro")

/// Makes an optional property of ``AppDependency`` an entry of the container.
///
///     extension AppDependency { @Entry var account: Account? }
///
/// The property's name is the entry's key on the wire. The value is `Codable & Sendable`: data, or a ``ServiceReference``.
@attached(accessor)
public macro Entry() = #externalMacro(module: "CoordinatorMacros", type: "EntryMacro")
