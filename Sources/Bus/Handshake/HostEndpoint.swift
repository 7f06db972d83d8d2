/// The addresses of one transport of a host.
package struct HostEndpoint: Hashable, Sendable {
    /// Where the host takes what is directed to it.
    package var bus: String
    /// Where it publishes.
    package var publisher: String

    package init(bus: String, publisher: String) {
        self.bus = bus
        self.publisher = publisher
    }

    /// The publisher's address as a peer reaches it: a `*` stands for the host part of the address it connected to.
    package static func resolve(publisher: String, connectedTo bus: String) -> String {
        guard publisher.hasPrefix("tcp://*:"), bus.hasPrefix("tcp://"), let colon = bus.lastIndex(of: ":") else {
            return publisher
        }
        let host = bus[bus.index(bus.startIndex, offsetBy: 6)..<colon]
        return "tcp://\(host):\(publisher.dropFirst("tcp://*:".count))"
    }

    /// A bound address as people write it: libzmq gives an IPv4 address back as `[::ffff:127.0.0.1]`.
    package static func plain(_ bound: String) -> String {
        let mapped = "tcp://[::ffff:"
        guard bound.hasPrefix(mapped), let end = bound.firstIndex(of: "]") else { return bound }
        return "tcp://\(bound.dropFirst(mapped.count)[..<end])\(bound[bound.index(after: end)...])"
    }

    /// A bound address as peers are told it: a wildcard address stands for whichever one a peer connected to.
    package static func advertised(_ bound: String) -> String {
        let bound = plain(bound)
        for wildcard in ["tcp://0.0.0.0:", "tcp://[::]:"] where bound.hasPrefix(wildcard) {
            return "tcp://*:" + bound.dropFirst(wildcard.count)
        }
        return bound
    }
}
