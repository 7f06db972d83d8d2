/// The addresses of a host for one transport.
package struct HostEndpoint: Hashable, Sendable {
    /// The address at which the host receives directed frames.
    package var bus: String
    /// The address at which it publishes.
    package var publisher: String

    package init(bus: String, publisher: String) {
        self.bus = bus
        self.publisher = publisher
    }

    /// Creates the addresses of a host that listens at a TCP address: its publisher has the next port, unless the host was
    /// told to choose its ports.
    /// - Returns: `nil` for another address, or the last port.
    package init?(listeningAt address: String) {
        guard address.hasPrefix("tcp://"), Self.problem(of: address) == nil, let colon = address.lastIndex(of: ":"),
            let port = UInt16(address[address.index(after: colon)...]), port < .max
        else { return nil }
        self.init(bus: address, publisher: "\(address[...colon])\(port + 1)")
    }

    /// Whether a text names a transport, as an address does.
    // Not with `contains`, which searches all conformances of the process when a worker starts.
    package static func hasTransport(_ text: String) -> Bool {
        var slashes = -1
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: ":"): slashes = 0
            case UInt8(ascii: "/") where slashes >= 0:
                slashes += 1
                if slashes == 2 { return true }
            default: slashes = -1
            }
        }
        return false
    }

    /// Why a text is not the address of a host, with the way to write one; `nil` when it is one.
    package static func problem(of address: String) -> String? {
        let example = "write it as tcp://192.0.2.7:5570, or ipc:// and the path of a socket"
        guard let scheme = ["tcp://", "ipc://", "inproc://"].first(where: address.hasPrefix) else {
            return "'\(address)' is not an address; \(example)"
        }
        let rest = address.dropFirst(scheme.count)
        guard !rest.isEmpty else { return "'\(address)' is not an address; \(example)" }
        if scheme == "ipc://", !rest.hasPrefix("@"), !rest.contains("/") {
            return "'\(address)' has no folder; \(example)"
        }
        guard scheme == "tcp://" else { return nil }
        guard let colon = rest.lastIndex(of: ":"), colon > rest.startIndex,
            let port = UInt16(rest[rest.index(after: colon)...]), port > 0
        else { return "'\(address)' has no port from 1 to 65535; \(example)" }
        return nil
    }

    /// Returns the publisher's address as a peer reaches it. A `*` stands for the host part of the address that the
    /// peer connected to.
    package static func resolve(publisher: String, connectedTo bus: String) -> String {
        guard publisher.hasPrefix("tcp://*:"), bus.hasPrefix("tcp://"), let colon = bus.lastIndex(of: ":") else {
            return publisher
        }
        let host = bus[bus.index(bus.startIndex, offsetBy: 6)..<colon]
        return "tcp://\(host):\(publisher.dropFirst("tcp://*:".count))"
    }

    /// Returns a bound address as people write it. libzmq reports an IPv4 address as `[::ffff:127.0.0.1]`.
    package static func plain(_ bound: String) -> String {
        let mapped = "tcp://[::ffff:"
        guard bound.hasPrefix(mapped), let end = bound.firstIndex(of: "]") else { return bound }
        return "tcp://\(bound.dropFirst(mapped.count)[..<end])\(bound[bound.index(after: end)...])"
    }

    /// Returns a bound address as it is announced to peers. A wildcard address becomes `*`, which stands for the
    /// address that a peer connected to.
    package static func advertised(_ bound: String) -> String {
        let bound = plain(bound)
        for wildcard in ["tcp://0.0.0.0:", "tcp://[::]:"] where bound.hasPrefix(wildcard) {
            return "tcp://*:" + bound.dropFirst(wildcard.count)
        }
        return bound
    }
}
