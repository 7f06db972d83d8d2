import Bus
import Glibc

/// A connection below ZeroMQ, over which a test can send any bytes.
final class PlainConnection: Sendable {
    struct Failure: Error { let number: Int32 }

    private let descriptor: Int32

    /// - Parameter address: `tcp://127.0.0.1:PORT` or `ipc://PATH`.
    init(to address: String) throws {
        descriptor = try Self.connect(to: address)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    static func connect(to address: String) throws -> Int32 {
        let path = address.hasPrefix("ipc://") ? String(address.dropFirst(6)) : nil
        let descriptor = socket(path == nil ? AF_INET : AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let result: Int32
        if let path {
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            result = connect(descriptor, &name)
        } else {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = (address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0).bigEndian
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            result = connect(descriptor, &name)
        }
        guard result == 0 else {
            defer { close(descriptor) }
            throw Failure(number: errno)
        }
        return descriptor
    }

    private static func connect<Name>(_ descriptor: Int32, _ name: inout Name) -> Int32 {
        let size = socklen_t(MemoryLayout<Name>.size)
        return withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
        }
    }

    /// The address at which a socket of this process listens, or has accepted a connection; `nil` for other descriptors.
    static func localAddress(of descriptor: Int32) -> String? {
        var name = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &name) { bytes -> String? in
            guard let start = bytes.baseAddress,
                getsockname(descriptor, start.assumingMemoryBound(to: sockaddr.self), &size) == 0
            else { return nil }
            switch Int32(start.load(as: sockaddr.self).sa_family) {
            case AF_UNIX:
                let path = bytes.prefix(Int(size)).dropFirst(MemoryLayout<sa_family_t>.size).prefix { $0 != 0 }
                return "ipc://" + String(decoding: path, as: UTF8.self)
            case AF_INET:
                return "tcp://127.0.0.1:\(UInt16(bigEndian: start.load(as: sockaddr_in.self).sin_port))"
            default: return nil
            }
        }
    }

    /// Sends as many bytes as the kernel accepts at once.
    /// - Returns: The number of bytes sent; 0 when the other side has closed the connection.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Int {
        let bytes = Array(bytes)
        return max(0, Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)))
    }

    /// Waits until the other side has closed all connections.
    /// - Returns: The number of connections that are still open when the time has passed.
    static func open(of connections: [PlainConnection], within limit: Duration) async -> Int {
        let descriptors = connections.map(\.descriptor)
        let end = MonotonicInstant.now + limit
        let left = Task.detached {
            var open = Set(descriptors)
            var bytes = [UInt8](repeating: 0, count: 4096)
            while !open.isEmpty, MonotonicInstant.now < end {
                var polls = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                _ = poll(&polls, nfds_t(polls.count), 100)
                for ready in polls where ready.revents != 0 {
                    let count = recv(ready.fd, &bytes, bytes.count, 0)
                    if count == 0 || (count < 0 && errno != EAGAIN) { open.remove(ready.fd) }
                }
            }
            return open.count
        }
        let count = await left.value
        withExtendedLifetime(connections) {}
        return count
    }
}

/// The bytes with which a ZeroMQ connection begins (https://rfc.zeromq.org/spec/23/).
enum ZMTP {
    static func greeting(version: UInt8 = 3, mechanism: String = "NULL") -> [UInt8] {
        let signature: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F]
        let name = Array(mechanism.utf8) + [UInt8](repeating: 0, count: 20 - mechanism.utf8.count)
        return signature + [version, 0] + name + [UInt8](repeating: 0, count: 32)
    }

    static func ready(_ type: String, routingID: [UInt8] = []) -> [UInt8] {
        var body = Array("\u{5}READY\u{b}Socket-Type".utf8) + [0, 0, 0, UInt8(type.utf8.count)] + Array(type.utf8)
        if !routingID.isEmpty {
            body += Array("\u{8}Identity".utf8) + [0, 0, 0, UInt8(routingID.count)] + routingID
        }
        return [4, UInt8(body.count)] + body
    }
}
