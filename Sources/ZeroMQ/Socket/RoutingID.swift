/// The name by which a ROUTER socket identifies a peer's connection: up to 255 bytes.
///
/// The names that libzmq generates have 5 bytes. A short name is stored in a number, so looking up a peer allocates
/// nothing.
public struct RoutingID: Hashable, Sendable {
    /// The bytes of a name of at most 8 bytes, the first one in the least significant byte.
    private let short: UInt64
    private let count: UInt8
    /// The bytes of a longer name, else empty.
    private let long: [UInt8]

    /// Makes a routing id.
    /// - Parameter bytes: The name as received from the socket.
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

    /// Calls `body` with the name's bytes.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard long.isEmpty else { return long.withUnsafeBytes(body) }
        // A name that is not long has at most the 8 bytes of `short`.
        return Swift.withUnsafeBytes(of: short.littleEndian) {
            body(UnsafeRawBufferPointer(rebasing: $0.prefix(Int(count))))
        }
    }
}
