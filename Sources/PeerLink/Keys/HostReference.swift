package import Bus
import Glibc
package import Messaging
package import ZeroMQ

/// A host as a person names it, resolved to its address and to how to reach it.
package struct HostReference: Sendable {
    package var endpoint: String
    /// The keys for the links; `nil` for a host of this machine, which needs none, and for links without keys.
    package var security: LinkSecurity?
    /// The context; `nil` if none names the host.
    package var context: HostContext?

    /// An address of this machine, which needs no keys.
    package init(local endpoint: String) {
        precondition(!endpoint.hasPrefix("tcp:"), "an address of the network")
        self.endpoint = endpoint
    }

    /// An address of the network or of this machine, at which no keys are used.
    package init(withoutKeys endpoint: String) { self.endpoint = endpoint }

    /// A host with its address and its key.
    package init(_ context: HostContext, keys: KeyPair) {
        endpoint = context.address
        self.context = context
        security = LinkSecurity(keys: keys, host: context.key)
    }

    /// Resolves the name of a context, or an address.
    ///
    /// A TCP address needs a context with the host's key. Without one, whoever answers at the address would be taken for the
    /// host.
    /// - Parameters:
    ///   - text: the name or the address.
    ///   - isInsecure: whether to connect over TCP without keys to a host for which no key is known.
    /// - Throws: ``HostReferenceError``.
    package init(
        _ text: String, isInsecure: Bool,
        environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) throws(HostReferenceError) {
        let isAddress = HostEndpoint.hasTransport(text)
        if isAddress, let problem = HostEndpoint.problem(of: text) { throw HostReferenceError(.usage, problem) }
        guard !isAddress || text.hasPrefix("tcp:") else {
            self.init(local: text)
            return
        }
        let folder: KeyFolder
        let contexts: HostContexts
        do throws(PrivatePathError) {
            folder = try KeyFolder(environment: environment)
            contexts = try folder.contexts()
        } catch {
            throw HostReferenceError(error)
        }
        guard let context = isAddress ? contexts.context(of: text) : contexts[text] else {
            guard isAddress, isInsecure else {
                throw HostReferenceError(.usage, Self.unknown(text, isAddress: isAddress, contexts))
            }
            self.init(withoutKeys: text)
            return
        }
        do throws(PrivatePathError) {
            let source = KeySource(folder, context: context.name)
            self.init(context, keys: try folder.key(in: folder.ownKeyFile))
            security?.source = source
            security?.readAgain()
        } catch {
            throw HostReferenceError(error)
        }
    }

    /// Returns the name of a peer there: the names of the peers of this machine begin with that of its key.
    package func peerName(_ name: String) throws(BusName.Invalid) -> BusName {
        try BusName(context.map { "\($0.ownName)-\(name)" } ?? name)
    }

    /// The context in use; `nil` if none is.
    package static func current(
        environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) throws(HostReferenceError) -> HostReference? {
        let name: String?
        do throws(PrivatePathError) {
            // Without a home folder there are no contexts.
            guard let folder = try? KeyFolder(environment: environment) else { return nil }
            name = try folder.contexts().current
        } catch {
            throw HostReferenceError(error)
        }
        guard let name else { return nil }
        return try HostReference(name, isInsecure: false, environment: environment)
    }

    /// Whether the value of `SCENEBUS_INSECURE` asks for links without keys.
    package static func isInsecure(_ value: String?) -> Bool { value == "1" }

    private static func unknown(_ text: String, isAddress: Bool, _ contexts: HostContexts) -> String {
        if isAddress {
            return "no key is known for the host at \(text): run 'scenebus join' with an invitation of that host, or "
                + "'scenebus context add'; --insecure connects without keys, to a host that was started with it"
        }
        let names = contexts.contexts.map(\.name)
        let known = names.isEmpty ? "there are none" : "there are \(names.joined(separator: ", "))"
        return "'\(text)' is neither an address, such as tcp://192.0.2.7:5570, nor a context (\(known))"
    }
}

/// Why a text names no host that can be reached.
package struct HostReferenceError: ExitCoded {
    package let exitCode: ProcessExitCode
    package let description: String

    init(_ code: ProcessExitCode, _ description: String) { (exitCode, self.description) = (code, description) }

    init(_ failure: PrivatePathError) {
        self.init(failure.code == .unsafe ? .refused : .failure, failure.description)
    }
}
