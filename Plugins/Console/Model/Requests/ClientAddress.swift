import Glibc

/// The address from which a connection comes.
package struct ClientAddress: Hashable, Sendable {
    /// Comes before the bytes of an address of version 4 that is written as one of version 6.
    private static let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
    private static let loopback: [UInt8] = Array(repeating: 0, count: 15) + [1]

    /// Four bytes, or sixteen.
    private let bytes: [UInt8]

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// - Parameter text: an address of version 4, or of version 6, also with its interface.
    /// - Returns: `nil` for a text that is none.
    package init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(bytes: Array(bytes.prefix(4)))
        } else if inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &bytes) == 1 {
            self.init(bytes: bytes.starts(with: Self.mapped) ? Array(bytes.suffix(4)) : bytes)
        } else {
            return nil
        }
    }

    /// Whether it is this machine's own.
    package var isLocal: Bool { bytes.count == 4 ? bytes[0] == 127 : bytes == Self.loopback }

    /// By what one machine is told from others: whoever has one address of version 6 has all of a network, which must not give
    /// it as many shares.
    package var machine: ClientAddress {
        bytes.count == 4 ? self : ClientAddress(bytes: bytes.prefix(8) + Array(repeating: 0, count: 8))
    }
}
