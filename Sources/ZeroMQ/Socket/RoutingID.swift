/// The name under which a ROUTER knows one connection of a peer: up to 255 bytes.
///
/// libzmq makes up names of 5 bytes. Such a short one is held in a number, so that looking a peer up allocates nothing.
public struct RoutingID: Hashable, Sendable {
    /// The bytes of a name of at most 8, the first one in the lowest place.
    private let short: UInt64
    private let count: UInt8
    /// A longer name.
    private let long: [UInt8]

    /// - Parameter bytes: the name as the socket gave it.
    public init(_ bytes: some Collection<UInt8>) {
        let isShort = bytes.count <= 8
        var short: UInt64 = 0
        if isShort {
            for (place, byte) in bytes.enumerated() { short |= UInt64(byte) << (8 * UInt64(place)) }
        }
        self.short = short
        count = UInt8(clamping: bytes.count)
        long = isShort ? [] : Array(bytes)
    }

    /// Lends the name's bytes.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard long.isEmpty else { return long.withUnsafeBytes(body) }
        return Swift.withUnsafeBytes(of: short.littleEndian) {
            body(UnsafeRawBufferPointer(rebasing: $0.prefix(Int(count))))
        }
    }
}
