import Access
package import Bus
package import ZeroMQ

/// The keys for the TCP connections of a hub's flows.
package struct FlowSecurity: Sendable {
    package var bus: SocketSecurity
    package var publisher: SocketSecurity

    package init(bus: SocketSecurity, publisher: SocketSecurity) { (self.bus, self.publisher) = (bus, publisher) }
}

/// The sockets of the hub, and their limits.
extension Hub {
    /// The maximum number of messages that wait for one subscriber. libzmq counts messages, not bytes, and drops
    /// further ones. Published frames are small, so a subscriber that does not read costs at most 16 MB.
    static let publisherHighWaterMark = 2000

    /// The maximum number of bytes that wait behind a message of a peer whose handling takes time: more than a peer has on
    /// their way that keeps to the send window.
    static let maximumUnhandled = Int(SendWindow.standard) + (8 << 20)

    /// Opens the sockets on all addresses.
    /// - Parameters:
    ///   - budget: bounds the connections to them.
    ///   - security: the keys for TCP, for each flow; `nil` for TCP without keys.
    ///   - patience: how long a connection may say nothing.
    /// - Throws: ``HubAddressError`` that names the address which cannot be used.
    package func start(
        on addresses: [HostEndpoint], budget: DescriptorBudget? = nil, security: FlowSecurity? = nil,
        patience: Duration = .seconds(10)
    ) throws {
        let budget = budget ?? DescriptorBudget(limit: context.descriptorLimit, processes: 0)
        let gate = ConnectionGate(budget, patience: patience)
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
        options.security = security?.bus
        var publishing = SocketOptions()
        publishing.reportsEverySubscription = true
        // The gate bounds what arrives.
        publishing.receiveHighWaterMark = 0
        publishing.maximumMessageSize = Int64(ConnectionGate.maximumSubscription)
        publishing.sendHighWaterMark = Int32(Self.publisherHighWaterMark)
        publishing.usesIPv6 = options.usesIPv6
        let bus = try Socket(.router, in: context, options: options)
        let pub = try Socket(.verbosePublisher, in: context, options: publishing)
        publishing.security = security?.publisher
        let keyedPub = try Socket(.verbosePublisher, in: context, options: publishing)
        for address in addresses {
            do {
                try bus.bind(address.bus, watchedBy: gate)
                let isKeyed = security != nil && address.publisher.hasPrefix("tcp:")
                let bound: String
                if isKeyed {
                    try keyedPub.bind(address.publisher, watchedBy: gate)
                    bound = keyedPub.lastEndpoint
                } else {
                    try pub.bind(address.publisher, watchedBy: gate)
                    bound = pub.lastEndpoint
                }
                endpoints.append(
                    HostEndpoint(
                        bus: HostEndpoint.plain(bus.lastEndpoint), publisher: HostEndpoint.advertised(bound)))
            } catch {
                throw HubAddressError(address.bus, error)
            }
        }
        self.gate = gate
        self.bus = SocketPort(
            bus, asksOrigin: Frame.isHello,
            overrun: (Self.maximumUnhandled, { [weak self] in self?.overrun(by: $0) })
        ) { [weak self] in self?.received($0) }
        publisher = SocketPort(pub, asksOrigin: { _ in true }) { [weak self] in
            self?.receivedSubscription($0, isToKeyed: false)
        }
        if security != nil {
            keyedPublisher = SocketPort(keyedPub, asksOrigin: { _ in true }) { [weak self] in
                self?.receivedSubscription($0, isToKeyed: true)
            }
        }
        tap.send = { [weak self] in self?.sendTap($0, $1) }
        timer.set(for: backlog.nextTick(at: .now))
        beaconTimer.set(for: beacons.due)
    }

    /// Publishes a record of the tap, and sends it to the peers that watch over their links and may see it.
    private func sendTap(_ record: TapRecord, _ bytes: [UInt8]) {
        if tap.hasSubscriber { _ = try? publisher?.send(bytes) }
        for id in tap.watchers {
            guard let link = links[id], link.access?.maySee(record, configuration: configuration(of:)) ?? true else {
                continue
            }
            send(bytes, .tap, to: link)
        }
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
                    try port.withSocket { (socket) throws(ZeroMQError) in
                        try socket.bindAgain(endpoint, watchedBy: gate)
                    }
                } catch {
                    throw HubAddressError(endpoint, error)
                }
                endpoints.append(endpoint)
            }
        }
        return endpoints
    }

    /// Listens with other keys at the TCP addresses. Attached peers keep their connections.
    /// - Throws: ``HubAddressError``.
    package func listenAgain(with security: FlowSecurity) throws {
        for (port, security) in [(bus, security.bus), (keyedPublisher, security.publisher)] {
            do {
                try port?.withSocket { socket throws(ZeroMQError) in try socket.listenAgain(with: security) }
            } catch {
                throw HubAddressError("", error)
            }
        }
    }
}
