import CConnections
import Glibc

/// What an operator should know about connections that belong to no peer. It is a value.
public struct ConnectionPressure: Hashable, Sendable, CustomStringConvertible {
    /// The number of connections that belong to no peer.
    public var waiting: Int
    /// The maximum of these.
    public var maximum: Int
    /// Whether connections were refused or closed a short time ago.
    public var isPressed: Bool
    /// How many of them are of one process or machine.
    public var mostWaiting: Int
    /// The process with the most of them, or the address of the machine; `nil` if it is not known.
    public var most: String?

    package init(waiting: Int, maximum: Int, isPressed: Bool, mostWaiting: Int, most: String? = nil) {
        self.waiting = waiting
        self.maximum = maximum
        self.isPressed = isPressed
        self.mostWaiting = mostWaiting
        self.most = most
    }

    public var description: String {
        let share = 2 * mostWaiting > waiting ? "most" : "\(mostWaiting)"
        return "connections: \(waiting) of at most \(maximum) belong to no peer"
            + (most.map { ", \(share) of them from \($0)" } ?? "")
            + (isPressed ? "; some were refused or closed in the last minute" : "")
            + "; 'scenebus status' counts why"
    }

    /// Returns the process at the other end of a connection, or the address of the machine; `nil` if the system does not
    /// know it.
    static func name(ofOwnerOf connection: Int32) -> String? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getpeername(connection, address, &size) == 0, address.pointee.sa_family != sa_family_t(AF_UNIX)
                else {
                    let process = scenebus_peer_process(connection)
                    guard process > 0 else { return nil }
                    return program(of: process).map { "process \(process) (\($0))" } ?? "process \(process)"
                }
                return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
                    guard let base = text.baseAddress,
                        getnameinfo(address, size, base, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
                    else {
                        return nil
                    }
                    return String(cString: base)
                }
            }
        }
    }

    /// The name of a process's program. A process can choose it, so what is not plain text is left out.
    private static func program(of process: Int32) -> String? {
        let file = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: buffer[..<count].filter { (0x20..<0x7F).contains($0) }, as: UTF8.self)
        }
    }
}
