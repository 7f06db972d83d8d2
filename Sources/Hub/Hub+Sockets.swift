package import Bus
import ZeroMQ

/// The sockets of the hub, and their limits.
extension Hub {
    /// The maximum number of messages that wait for one subscriber. libzmq counts messages, not bytes, and drops
    /// further ones. Published frames are small, so a subscriber that does not read costs at most 16 MB.
    static let publisherHighWaterMark = 2000

    /// Opens the sockets on all addresses.
    /// - Throws: ``HubAddressError`` that names the address which cannot be used.
    package func start(on addresses: [HostEndpoint]) throws {
        var options = SocketOptions()
        options.isMandatory = true
        options.sendHighWaterMark = 10_000
        // Peers bound what waits to be read by keeping to the send window. This limit applies to those that do not. libzmq
        // counts messages, and each may have 16 MiB.
        options.receiveHighWaterMark = 64
        options.linger = 200
        // Closes connections whose other side has vanished. A dead peer is found much earlier, by its silence. For each
        // timer, libzmq searches all of its timers, so that short intervals would cost a host with many peers most.
        options.heartbeatInterval = 20_000
        options.usesIPv6 = addresses.contains { $0.bus.contains("[") }
        var publishing = SocketOptions()
        publishing.reportsEverySubscription = true
        publishing.receiveHighWaterMark = 0
        // Topics are short, and libzmq stores each byte of a subscription in forty bytes.
        publishing.maximumMessageSize = 1024
        publishing.sendHighWaterMark = Int32(Self.publisherHighWaterMark)
        publishing.usesIPv6 = options.usesIPv6
        let bus = try Socket(.router, in: context, options: options)
        let pub = try Socket(.verbosePublisher, in: context, options: publishing)
        for address in addresses {
            do {
                try bus.bind(address.bus)
                try pub.bind(address.publisher)
                endpoints.append(
                    HostEndpoint(
                        bus: HostEndpoint.plain(bus.lastEndpoint),
                        publisher: HostEndpoint.advertised(pub.lastEndpoint)))
            } catch {
                throw HubAddressError(address.bus, error)
            }
        }
        self.bus = SocketPort(bus) { [weak self] in self?.received($0) }
        publisher = SocketPort(pub) { [weak self] in self?.receivedSubscription($0) }
        tap.send = { [weak self] in _ = try? self?.publisher?.send($0) }
        timer.set(for: backlog.nextTick(at: .now))
        beaconTimer.set(for: beacons.due)
    }

    /// Whether nobody can connect to one of the addresses any more, because its file has been removed.
    package var hasLostAddresses: Bool { [bus, publisher].contains { $0.map { !$0.lostEndpoints.isEmpty } ?? false } }

    /// Listens anew at the addresses whose files have been removed. Attached peers keep their connections.
    /// - Returns: these addresses.
    /// - Throws: ``HubAddressError``, for example when another process listens there now.
    package func listenAgain() throws -> [String] {
        var endpoints: [String] = []
        for port in [bus, publisher] {
            guard let port else { continue }
            for endpoint in port.lostEndpoints {
                do {
                    try port.withSocket { (socket) throws(ZeroMQError) in try socket.bindAgain(endpoint) }
                } catch {
                    throw HubAddressError(endpoint, error)
                }
                endpoints.append(endpoint)
            }
        }
        return endpoints
    }
}
