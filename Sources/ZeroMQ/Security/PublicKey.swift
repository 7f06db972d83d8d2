/// The public half of a CURVE key pair, by which a host or a peer is known: 32 bytes, written as 64 hexadecimal digits.
///
/// Hexadecimal digits are safe in a shell, unlike the characters of Z85, in which ZeroMQ's own tools write a key.
public struct PublicKey: Hashable, Sendable, CustomStringConvertible {
    /// The size of a public and of a secret key, in bytes: https://rfc.zeromq.org/spec/26/
    static let size = 32

    package let bytes: [UInt8]

    /// - Returns: `nil` if there are not 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// Reads the text form.
    /// - Returns: `nil` for another text.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 2 * Self.size, let bytes = Hexadecimal.bytes(text) else { return nil }
        self.bytes = bytes
    }

    /// The text form: 64 hexadecimal digits.
    public var description: String { Hexadecimal.text(bytes) }

    /// The first 8 digits, which are enough to tell a few keys apart on a screen. They identify nobody: anybody can make
    /// a key that begins like another one.
    public var beginning: String { Hexadecimal.text(bytes.prefix(4)) }
}
