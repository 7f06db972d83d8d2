import Dispatch
import Foundation
import Glibc

/// A connection to a web server of this machine that sends what it is given, also what no browser would send.
///
/// It blocks, so each call runs on a thread of its own. A read that waits for half a minute fails.
package final class HTTPConnection: Sendable {
    /// Why a call has failed.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    private let descriptor: Int32

    /// Connects to a port of this machine.
    /// - Parameter receives: how many bytes may wait to be read, about; `nil` for as many as the system wants.
    package init(port: Int, receives: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Self.failure("socket") }
        if var receives {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receives, socklen_t(MemoryLayout<Int32>.size))
        }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let failure = Self.failure("connect")
            Glibc.close(descriptor)
            throw failure
        }
    }

    deinit { Glibc.close(descriptor) }

    private static func failure(_ what: String) -> Failure {
        Failure(description: "\(what): \(String(cString: strerror(errno)))")
    }

    private func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Has the connection end as that of a browser that was killed, with nothing more to be written to it.
    package func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Sends a text.
    package func send(_ text: String) async throws {
        try await blocking { [descriptor] in
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw Self.failure("send") }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Reads until a condition holds for what has been read, or the other end has closed the connection.
    /// - Parameter text: what has been read before.
    package func read(
        after text: String = "", until isEnough: @escaping @Sendable (String) -> Bool
    ) async throws -> String {
        try await blocking { [descriptor] in
            var bytes = Array(text.utf8)
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while !isEnough(String(decoding: bytes, as: UTF8.self)) {
                let count = recv(descriptor, &piece, piece.count, 0)
                guard count >= 0 else {
                    let read = String(decoding: bytes.suffix(2000), as: UTF8.self)
                    throw Failure(description: "\(Self.failure("recv")) after: \(read)")
                }
                guard count > 0 else { break }
                bytes += piece.prefix(count)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
