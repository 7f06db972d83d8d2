import Foundation
import Testing

/// Listens on a port of this machine.
final class PortListener {
    private let descriptor: Int32
    let port: Int

    /// - Parameter port: 0 for one that is free.
    init(port: Int = 0) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                let result = bind(descriptor, $0, length)
                return result == 0 ? getsockname(descriptor, $0, &length) : result
            }
        }
        self.port = Int(UInt16(bigEndian: address.sin_port))
        try #require(result == 0 && listen(descriptor, 1) == 0, "\(String(cString: strerror(errno)))")
    }

    deinit { close(descriptor) }
}
