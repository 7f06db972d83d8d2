import CZeroMQ

extension SocketOptions {
    /// Sets the security of the connections to an address that the socket is about to bind or connect to.
    func applySecurity(of endpoint: String, to pointer: UnsafeMutableRawPointer) throws(ZeroMQError) {
        guard let security else { return }
        guard endpoint.hasPrefix("tcp:") else {
            // What was set for an address before applies to the next one, too.
            return try Self.set(ZMQ_CURVE_SERVER, 0 as Int32, on: pointer)
        }
        switch security {
        case .server(let keys, _, let domain):
            try Self.set(ZMQ_CURVE_SERVER, 1 as Int32, on: pointer)
            if let domain { try Self.set(ZMQ_ZAP_DOMAIN, Array(domain.utf8), on: pointer) }
            try Self.set(ZMQ_CURVE_SECRETKEY, keys.secret, on: pointer)
        case .client(let keys, let host):
            try Self.set(ZMQ_CURVE_SERVERKEY, host.bytes, on: pointer)
            try Self.set(ZMQ_CURVE_PUBLICKEY, keys.publicKey.bytes, on: pointer)
            try Self.set(ZMQ_CURVE_SECRETKEY, keys.secret, on: pointer)
        }
    }
}
