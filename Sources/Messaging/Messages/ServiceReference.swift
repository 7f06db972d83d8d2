/// A reference to a service: a responder somewhere on the bus whose address is known, so that nothing climbs.
///
/// It is an entry of the container like any other. It crosses the bus as a name and arrives as a sender of that service's
/// messages:
///
///     extension ServiceReference: CatalogMessages where Messages == any CatalogMessages {}
///     extension AppDependency { @Entry var catalog: ServiceReference<any CatalogMessages>? }
///     let product = try await appDependency?.catalog?.catalogFind(id: 12)
public struct ServiceReference<Messages>: Codable, Hashable, Sendable {
    /// The service's name: unique on the bus.
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
    /// Sends a request to the service and waits for its reply.
    /// - Throws: ``MessageError`` with `unhandled` when this process neither offers the service nor has a link to a host, and what
    ///   ``ResponderChain/send(_:)`` throws.
    public func send<M: ResponderRequest>(_ message: M) async throws -> M.Reply {
        guard let responder = ServiceDirectory.shared.responder(for: name) else {
            throw MessageError(.unhandled, message: M.name, path: [], detail: "the service '\(name)' is not known here")
        }
        return try await responder.chain.send(message)
    }

    /// Sends a post to the service. Nothing is thrown: a post that does not reach it is dropped and counted.
    public func post<M: ResponderPost>(_ message: M) {
        ServiceDirectory.shared.responder(for: name).chain.post(message)
    }
}

/// Where the services of this process are, and how to reach the others.
@MainActor
public final class ServiceDirectory {
    /// The directory of this process.
    public static let shared = ServiceDirectory()

    private var local: [String: () -> Responder?] = [:]
    /// Makes the responder that forwards to a service in another process.
    package var remote: ((_ name: String) -> Responder?)?

    /// Offers a responder of this process under a name; it is not kept alive.
    public func provide(_ name: String, _ responder: Responder) {
        local[name] = { [weak responder] in responder }
    }

    /// Ends the offer.
    public func withdraw(_ name: String) {
        local[name] = nil
    }

    package func localResponder(for name: String) -> Responder? { local[name]?() }

    package func responder(for name: String) -> Responder? {
        local[name]?() ?? remote?(name)
    }
}
