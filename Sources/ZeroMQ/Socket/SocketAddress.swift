package import Glibc

/// The address of a Unix-domain socket.
package struct SocketAddress {
    private var name = sockaddr_un()

    /// - Returns: `nil` when the path is too long.
    package init?(_ path: String) {
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: name.sun_path) else { return nil }
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
    }

    /// Calls a function of the system with the address and its size.
    package func use(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
