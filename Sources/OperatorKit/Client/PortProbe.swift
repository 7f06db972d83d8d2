import Bus
import Glibc

/// What a connection to a TCP port meets. It tells a port that nobody listens at from one that a firewall closes.
package enum PortProbe: Hashable, Sendable {
    case open
    case refused
    /// Nothing has answered in time.
    case silent
    /// For another reason, such as a name that has no address.
    case failed(String)

    /// Connects to an address such as `tcp://192.0.2.7:5570`, and closes the connection at once.
    /// - Parameter limit: how long to wait for each address that the name of the machine has.
    @concurrent
    package static func probe(_ address: String, within limit: Duration) async -> PortProbe {
        let text = address.dropFirst("tcp://".count)
        guard address.hasPrefix("tcp://"), let colon = text.lastIndex(of: ":") else { return .failed("it has no port") }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(String(host), String(text[text.index(after: colon)...]), &hints, &first)
        guard code == 0 else { return .failed(String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(first) }
        var result = PortProbe.failed("the name has no address")
        var next = first
        while let info = next?.pointee {
            result = connect(info, by: .now + limit)
            if result == .open { break }
            next = info.ai_next
        }
        return result
    }

    private static func connect(_ info: addrinfo, by deadline: MonotonicInstant) -> PortProbe {
        let type = info.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(info.ai_family, type, info.ai_protocol)
        guard descriptor >= 0 else { return .failed(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        if Glibc.connect(descriptor, info.ai_addr, info.ai_addrlen) == 0 { return .open }
        guard errno == EINPROGRESS else { return result(of: errno) }
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let left = deadline - .now
            guard left > .zero else { return .silent }
            let count = Glibc.poll(&poll, 1, Int32(min((left / .milliseconds(1)).rounded(.up), 3_600_000)))
            if count > 0 { break }
            guard count == 0 || errno == EINTR else { return .failed(String(cString: strerror(errno))) }
        }
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        return error == 0 ? .open : result(of: error)
    }

    private static func result(of error: Int32) -> PortProbe {
        switch error {
        case ECONNREFUSED: .refused
        case ETIMEDOUT: .silent
        default: .failed(String(cString: strerror(error)))
        }
    }
}
