/// Decides which keys may connect to the sockets of a context. libzmq asks it during each handshake with CURVE, over its authentication protocol (ZAP, https://rfc.zeromq.org/spec/27/).
///
/// It must be there before the first socket listens, and as long as one does: libzmq accepts every key of a context
/// that has no handler.
@MainActor
public final class AuthenticationHandler: KeyAuthenticator {
    /// What libzmq asks.
    public struct Question: Hashable, Sendable {
        /// The client's public key.
        public let key: PublicKey
        /// The domain of the socket: see ``SocketSecurity/server(_:_:domain:)``.
        public let domain: String
        /// The client's address.
        public let address: String
    }

    /// Returns whether a key may connect.
    public typealias Decision = @MainActor (Question) -> Bool

    /// The address at which libzmq expects it.
    private static let endpoint = "inproc://zeromq.zap.01"

    private var port: PartsPort?

    /// - Throws: `ZeroMQError` if the context has a handler already.
    public init(in context: SocketContext, decide: @escaping Decision) throws(ZeroMQError) {
        let socket = try Socket(.reply, in: context)
        try socket.bind(Self.endpoint)
        port = PartsPort(socket) { AuthenticationExchange.reply(to: $0, decide: decide) }
    }

    /// Allows no key any more. Call it when the sockets are closed.
    public func close() {
        port?.close()
        port = nil
    }
}

/// One question of libzmq, and its answer. It is a value, like all that comes from outside.
package enum AuthenticationExchange {
    private static let version = Array("1.0".utf8)
    private static let curve = Array("CURVE".utf8)

    /// Returns the parts of the answer: version, request id, status code, status text, user id, metadata.
    /// - Parameter parts: version, request id, domain, address, identity, mechanism, and the client's public key.
    package static func reply(
        to parts: [[UInt8]], decide: (AuthenticationHandler.Question) -> Bool
    ) -> [[UInt8]] {
        let id = parts.count > 1 ? parts[1] : []
        func answer(_ code: String, _ text: String, user: String = "") -> [[UInt8]] {
            [version, id, Array(code.utf8), Array(text.utf8), Array(user.utf8), []]
        }
        guard parts.count == 7, parts[0] == version, parts[5] == curve, let key = PublicKey(parts[6]) else {
            return answer("500", "not a question about a CURVE key")
        }
        let question = AuthenticationHandler.Question(
            key: key, domain: String(decoding: parts[2], as: UTF8.self),
            address: String(decoding: parts[3], as: UTF8.self))
        guard decide(question) else { return answer("400", "unknown key") }
        // The user id comes with each message of the connection: see `MessageOrigin`.
        return answer("200", "OK", user: "\(key)")
    }
}
