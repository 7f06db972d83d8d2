import Bus
import Glibc

/// The addresses of this machine's network interfaces.
enum MachineAddresses {
    /// Returns the addresses under which other machines may reach a bound address: for a wildcard, one for each address of
    /// this machine. Those of the loopback interface, which are the other machine's own, are among them only if there is no other.
    static func reachable(from bound: String) -> [String] {
        let advertised = HostEndpoint.advertised(bound)
        let wildcard = "tcp://*:"
        guard advertised.hasPrefix(wildcard) else { return [advertised] }
        let port = advertised.dropFirst(wildcard.count)
        let all = ofInterfaces()
        let reachable = all.filter { !isLoopback($0) }
        return (reachable.isEmpty ? all : reachable).map { "tcp://\($0):\(port)" }
    }

    private static func isLoopback(_ address: String) -> Bool { address.hasPrefix("127.") || address == "[::1]" }

    /// The addresses, as they are written in an address of ZeroMQ. Those that are valid on one link only are left out.
    private static func ofInterfaces() -> [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [String] = []
        var next = first
        while let current = next {
            defer { next = current.pointee.ifa_next }
            let interface = current.pointee
            guard let address = interface.ifa_addr, interface.ifa_flags & UInt32(IFF_UP) != 0 else { continue }
            let isIPv6 = address.pointee.sa_family == sa_family_t(AF_INET6)
            guard isIPv6 || address.pointee.sa_family == sa_family_t(AF_INET) else { continue }
            let size = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(address, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            let number = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // A link-local address needs the name of an interface, which differs on the other machine.
            if isIPv6, !number.hasPrefix("fe80:") { found.append("[\(number)]") }
            if !isIPv6 { found.append(number) }
        }
        return found
    }
}
