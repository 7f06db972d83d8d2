/// Turns the methods of a protocol into responder messages.
///
/// A method that is `async throws` is a request. Its sender waits for the reply, or for the end of a handler that
/// returns nothing, and gets an error if the request fails. A method without these effects that returns nothing is a
/// post. Parameters and replies are `Codable & Sendable` values.
///
///     @ResponderMessages protocol AccountMessages {
///         func accountLogin(username: String, password: Secret<String>) async throws -> User
///         func accountShow(page: AccountPage)
///     }
///     extension ResponderChain: AccountMessages {}
///
/// A responder handles the messages by conforming to the protocol. A message whose method it does not implement climbs
/// on, as does a message that a handler sends with `coordinatingResponder.chain`. The macro also generates
/// `AccountMessagesList` with the types of the messages. A plugin passes it to the bus to declare what it handles.
///
/// Conform in the class that implements the methods. If a conforming class does not implement a method, a subclass
/// cannot add it.
@attached(peer, names: suffixed(List))
@attached(extension, names: arbitrary)
@attached(memberAttribute)
public macro ResponderMessages() = #externalMacro(module: "CoordinatorMacros", type: "ResponderMessagesMacro")

/// Declares that handling a request twice does no harm. If the link breaks, the request is sent again until its
/// deadline.
///
///     @ResponderMessages protocol LampMessages {
///         @Idempotent func lampSet(brightness: Int) async throws
///     }
@attached(peer)
public macro Idempotent() = #externalMacro(module: "CoordinatorMacros", type: "DeliveryMacro")

/// Declares that a request must never be handled twice, and that its sender must learn of its loss.
///
/// The host stores a record of the request before it forwards the request, and the reply before it sends the reply. It
/// answers further copies of the request from that record. If a process dies in between, the sender gets
/// ``MessageError/Code/peerLost`` with ``MessageError/mayHaveBeenHandled``. The handler can read the request's id from
/// ``MessageContext/messageID``. Each request costs two writes to the host's disk. Requests that arrive at the same
/// moment share these writes.
///
/// The record of the request has none of its values. A reply that holds a ``Secret`` is not recorded: a further copy of the
/// request gets the same error as when a process dies in between.
///
///     @ResponderMessages protocol OrderMessages {
///         @Once func orderPlace(item: String) async throws -> Order
///     }
@attached(peer)
public macro Once() = #externalMacro(module: "CoordinatorMacros", type: "DeliveryMacro")

/// Makes an optional property of ``AppDependency`` an entry of the container.
///
///     extension AppDependency {
///         @Entry var prices: [String: Int]?
///         @Entry(.session) var account: Account?
///         @Entry(.local) var dataManager: DataManager?
///     }
///
/// The property's name is the entry's key. A shared entry, the default, belongs to the whole application: the host
/// publishes it to all processes, so its value is `Codable & Sendable`, data or a ``ServiceReference``.
///
/// An entry of sessions has a value for each session, of the same types. A plugin or the application's delegate sets it
/// for a session, and only the coordinators of that session's scene get it. It outlives the scene, and is removed when
/// the session is closed.
///
/// A local entry stays in the process that sets it, and can be any object. It comes down to the process's own
/// coordinators as the shared ones do. If its type is not `Sendable`, mark the property with `@MainActor`:
///
///     @MainActor @Entry(.local) var parser: Parser?
@attached(accessor)
public macro Entry(_ scope: EntryScope = .shared) =
    #externalMacro(module: "CoordinatorMacros", type: "EntryMacro")

/// Where an entry of the container is available.
public enum EntryScope: Sendable {
    /// In all processes of the application, with one value for all sessions.
    case shared
    /// In the scenes of a session, with a value for each session.
    case session
    /// In the process that sets it.
    case local
}

/// Makes a structure write and read itself as CBOR, several times faster than through `Codable`.
///
///     @CBORItem struct Account: Codable, Sendable {
///         var name: String
///         var balance: Int?
///     }
///
/// Use it on the types of parameters, replies and entries that are sent often. Nothing else changes: the bytes are the
/// same as those of `Codable`, so processes with and without it understand each other. Parts that are only `Codable`
/// stay so. The structure's `Codable` code must be the compiler's: leave the macro out if it has its own keys,
/// `init(from:)` or `encode(to:)`.
@attached(extension, conformances: CBORItem, names: named(writeItem), named(init))
public macro CBORItem() = #externalMacro(module: "CoordinatorMacros", type: "CBORItemMacro")
