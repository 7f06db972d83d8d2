import Glibc

/// The part of an address by which a machine is told from others on the network. It is a value.
///
/// Whoever has one address of some kinds has any number of them, which must not give it as many shares: all of the loopback
/// interface are this machine's, and a network of IPv6 has 64 bits for each of its machines.
struct MachineAddress: Hashable, Sendable {
    private static let loopback: [UInt8] = [127]
    /// Comes before the bytes of an IPv4 address that is written as one of IPv6.
    private static let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]

    private let bytes: [UInt8]

    /// - Parameter bytes: an address of IPv4, or of IPv6.
    init(_ bytes: some Collection<UInt8>) {
        let bytes = bytes.count == 16 && bytes.starts(with: Self.mapped) ? Array(bytes.suffix(4)) : Array(bytes)
        if bytes.count == 16 {
            let isLoopback = bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
            self.bytes = isLoopback ? Self.loopback : Array(bytes.prefix(8))
        } else {
            self.bytes = bytes.starts(with: Self.loopback) ? Self.loopback : bytes
        }
    }

    /// - Parameter address: what the system says of the other side of a connection; it is one of IPv4 or IPv6.
    init(_ address: sockaddr_storage) {
        // The address without the port, which begins after family and port, and in IPv6 after the flow.
        let (start, count) = address.ss_family == sa_family_t(AF_INET6) ? (8, 16) : (4, 4)
        self = withUnsafeBytes(of: address) { Self($0[start..<start + count]) }
    }

    /// A negative number, which is the same for the same machine: a hash.
    var number: Int {
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return -1 - Int(hash >> 1)
    }
}
