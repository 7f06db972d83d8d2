/// A reference to a service: a responder anywhere on the bus that is addressed by name, so messages to it do not climb
/// a chain.
///
/// It can be an entry of the container like any other value. It is sent over the bus as a name, and the receiver can
/// send the service's messages with it:
///
///     extension ServiceReference: CatalogMessages where Messages == any CatalogMessages {}
///     extension AppDependency { @Entry var catalog: ServiceReference<any CatalogMessages>? }
///     let product = try await appDependency?.catalog?.catalogFind(id: 12)
public struct ServiceReference<Messages>: Codable, Hashable, Sendable {
    /// The service's name, which is unique on the bus.
    public let name: String

    public init(_ name: String) {
        self.name = name
    }

    public init(from decoder: any Decoder) throws {
        name = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

extension ServiceReference: ResponderSender {
    /// The chain that begins at the service. Requests fail with `unhandled` if this process neither provides the service
    /// nor has a link to a host; posts are dropped and counted.
    public var chain: ResponderChain {
        (ServiceDirectory.shared.responder(for: name) ?? UnknownService(name)).chain
    }
}

/// A service that is not known in this process. It handles no message.
@MainActor
private final class UnknownService: ForwardingResponder {
    private let name: String

    init(_ name: String) { self.name = name }

    override func send<M: ResponderRequest>(_ message: M, context: MessageContext) async throws -> M.Reply {
        throw MessageError(.unhandled, message: M.name, path: [], detail: "the service '\(name)' is not known here")
    }
}

/// The services of this process, and the way to reach those of other processes.
@MainActor
public final class ServiceDirectory {
    /// The directory of this process.
    public static let shared = ServiceDirectory()

    package init() {}

    private var local: [String: () -> Responder?] = [:]
    /// Makes a responder that forwards to a service in another process.
    package var remote: ((_ name: String) -> Responder?)?

    /// Provides a responder of this process as a service. The responder is not retained.
    public func provide(_ name: String, _ responder: Responder) {
        local[name] = { [weak responder] in responder }
    }

    /// Stops providing a service.
    public func withdraw(_ name: String) {
        local[name] = nil
    }

    package func localResponder(for name: String) -> Responder? { local[name]?() }

    package func responder(for name: String) -> Responder? {
        local[name]?() ?? remote?(name)
    }
}
