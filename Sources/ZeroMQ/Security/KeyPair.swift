import CZeroMQ

/// A CURVE key pair of a host or a peer.
///
/// The secret key is not printed with the value, so that it does not get into a log.
public struct KeyPair: Sendable, CustomStringConvertible {
    public let publicKey: PublicKey
    /// 32 bytes.
    package let secret: [UInt8]

    /// Makes a new key pair.
    /// - Throws: `ZeroMQError` if libzmq was built without CURVE.
    public init() throws(ZeroMQError) {
        var (publicText, secretText) = (Self.emptyText, Self.emptyText)
        guard zmq_curve_keypair(&publicText, &secretText) == 0 else { throw ZeroMQError("make a key") }
        guard let publicKey = PublicKey(Self.bytes(publicText)) else {
            throw ZeroMQError(number: EINVAL, operation: "make a key")
        }
        self.publicKey = publicKey
        secret = Self.bytes(secretText)
    }

    /// Computes the public key of a secret key.
    /// - Returns: `nil` if there are not 32 bytes, or if libzmq was built without CURVE.
    package init?(secret: [UInt8]) {
        guard secret.count == PublicKey.size else { return nil }
        var (publicText, secretText) = (Self.emptyText, Self.emptyText)
        guard zmq_z85_encode(&secretText, secret, secret.count) != nil,
            zmq_curve_public(&publicText, secretText) == 0, let publicKey = PublicKey(Self.bytes(publicText))
        else { return nil }
        self.publicKey = publicKey
        self.secret = secret
    }

    public var description: String { "the key pair of \(publicKey)" }

    /// Room for a key in Z85, which has 40 characters, with the byte 0 behind it.
    private static let emptyText = [CChar](repeating: 0, count: 41)

    private static func bytes(_ text: [CChar]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: PublicKey.size)
        return zmq_z85_decode(&bytes, text) == nil ? [] : bytes
    }
}
