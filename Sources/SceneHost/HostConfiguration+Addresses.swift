import Bus
import PeerLink

extension HostConfiguration {
    /// Returns the endpoints that the host listens on.
    /// - Parameter inProcess: the endpoint for plugins that are linked into the host's process.
    /// - Throws: ``HostError`` that names the address that cannot be used.
    func addresses(inProcess: HostEndpoint) throws -> [HostEndpoint] {
        var addresses = [
            HostEndpoint(bus: directory.endpoint, publisher: directory.publisher),
            inProcess,
        ]
        for text in listen {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard text.hasPrefix("tcp://"), let last = parts.last, let port = last == "*" ? 0 : Int(last),
                (0..<65_535).contains(port)
            else {
                throw HostError(.usage, "'\(text)' is not an address to listen on; write it as tcp://127.0.0.1:5570")
            }
            let host = String(text.dropFirst(6).dropLast(last.count + 1))
            let publisher = port == 0 ? "tcp://\(host):*" : "tcp://\(host):\(port + 1)"
            addresses.append(HostEndpoint(bus: text, publisher: publisher))
        }
        return addresses
    }
}
