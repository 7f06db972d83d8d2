/// Decides which keys may connect: an ``AuthenticationHandler``.
public protocol KeyAuthenticator: AnyObject, Sendable {}

/// How a socket encrypts and authenticates its TCP connections, with CURVE (https://rfc.zeromq.org/spec/25/). The
/// connections of other transports stay as they are: whoever may enter a socket's folder may connect to it.
public enum SocketSecurity: Sendable {
    /// Whoever connects must have a key that the authenticator allows. The domain tells it which socket it is. A socket that
    /// also listens for connections without keys has none: with a domain, libzmq asks about these, too.
    ///
    /// The authenticator belongs to the case, because libzmq accepts every key of a context that has no handler.
    case server(KeyPair, any KeyAuthenticator, domain: String?)
    /// The socket connects with this key pair, and only to a host that has the secret key of the public one.
    case client(KeyPair, host: PublicKey)
}
