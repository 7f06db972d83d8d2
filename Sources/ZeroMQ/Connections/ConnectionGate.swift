import CConnections
import Glibc
import Synchronization

/// Watches the connections to a host's sockets: their number is bounded, and those that say nothing are closed. It is the
/// shell of the `ConnectionTable`.
///
/// libzmq's I/O thread asks it for each connection that it accepts, and the owner of the sockets tells it what was said
/// over a connection. Connections within the process (`inproc`) are not watched.
public final class ConnectionGate: Sendable {
    /// A watched connection.
    public struct Connection: Hashable, Sendable {
        let id: ConnectionTable.ID
        public var descriptor: Int32 { id.descriptor }
    }

    /// The maximum size of a message to the publisher, in bytes. libzmq closes a connection at a larger one.
    public static let maximumSubscription = 1024

    /// How many bytes may arrive over a connection to the bus until a hello is read from it: a hello of the maximum size,
    /// 1 MiB, and the handshake and heartbeats besides it.
    static let maximumUnheard = 1 << 20 + 64 << 10

    /// How many bytes may arrive over a connection to the bus before the host has accepted the key of its peer: ZeroMQ's
    /// greeting, and what a peer says in the handshake, which is less than 1 KiB. What a stranger sends is kept until then.
    static let maximumHandshake = 4 << 10

    /// How many bytes may arrive over a connection to the bus after the end of its link. What its peer had sent is refused
    /// with a reason: no more than a send window, one message of the maximum size, and what ZeroMQ adds.
    static let maximumAfterLink = 64 << 20

    private let table: Mutex<ConnectionTable>
    private let number: Int32
    public let budget: DescriptorBudget

    /// - Parameter patience: how long a connection may say nothing.
    public init(_ budget: DescriptorBudget, patience: Duration = .seconds(10)) {
        self.budget = budget
        table = Mutex(ConnectionTable(budget, patience: patience))
        number = Gates.shared.withLock { $0.next() }
        Gates.shared.withLock { $0.add(self, as: number) }
    }

    deinit { Gates.shared.withLock { $0.remove(number) } }

    /// Watches the connections to the addresses that are bound in `body`.
    /// - Parameters:
    ///   - isPublisher: whether peers subscribe there.
    ///   - hasKeys: whether they must have keys.
    func watch<Failure: Error>(
        isPublisher: Bool, hasKeys: Bool = false, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        scenebus_listen_for(number, scenebus_watch(is_metered: isPublisher, has_keys: hasKeys))
        defer { scenebus_listen_for(0, scenebus_watch()) }
        try body()
    }

    // MARK: - What was said

    /// Notes a hello, which may be refused.
    /// - Parameter descriptor: the connection's, from ``SocketMessage/connection``.
    public func heard(_ descriptor: Int32) {
        table.withLock {
            // It has been read, so the next one may come.
            if let id = $0.heard(descriptor, at: .now) { Self.allow(Self.maximumUnheard, over: id) }
        }
    }

    /// Notes that a connection belongs to a link now.
    /// - Returns: The connection, for ``unlinked(_:)``; `nil` if it is not watched.
    public func linked(_ descriptor: Int32) -> Connection? {
        table.withLock {
            guard let id = $0.linked(descriptor) else { return nil }
            // From now on the send window bounds what waits.
            Self.allow(.max, over: id)
            return Connection(id: id)
        }
    }

    // MARK: - Keys

    /// Notes the key of a connection.
    /// - Parameter descriptor: the connection's, from ``MessageOrigin/connection``.
    public func attested(_ descriptor: Int32, _ key: PublicKey) { table.withLock { $0.attested(descriptor, key) } }

    /// Returns the connections over the network whose keys are meant. The key is `nil` of a connection from which nothing was
    /// read yet.
    public func networkConnections(where isMeant: (PublicKey?) -> Bool) -> Set<Connection> {
        Set(table.withLock { $0.networkIDs(where: isMeant) }.map { Connection(id: $0) })
    }

    /// Closes connections that are still open.
    public func close(_ connections: some Sequence<Connection>) {
        for connection in connections { Self.close(connection.id) }
    }

    /// Notes that the link of a connection has ended.
    public func unlinked(_ connection: Connection) {
        table.withLock {
            if $0.unlinked(connection.id, at: .now) { Self.allow(Self.maximumAfterLink, over: connection.id) }
        }
    }

    /// Notes a subscription or its end, and closes a connection that has subscribed to too much.
    public func subscribed(_ descriptor: Int32, to topic: some Sequence<UInt8>, isOn: Bool) {
        let greedy = table.withLock { $0.subscribed(descriptor, to: Array(topic), isOn: isOn, at: .now) }
        if let greedy { Self.close(greedy) }
    }

    /// Closes the connections over which nothing was said in time.
    /// - Parameter time: what had arrived before this time has been read.
    public func closeSilent(at time: MonotonicInstant) {
        let silent = table.withLock { $0.silent(at: time, isOpen: Self.isOpen) }
        for connection in silent { Self.close(connection) }
    }

    // MARK: - For operators

    /// The number of connections that were closed or refused, by reason.
    public var counts: [(reason: String, count: UInt64)] {
        let counts = table.withLock { $0.counts }
        return [
            ("closed: connection that said nothing", counts.silent),
            ("closed: connection in favor of a newer one", counts.displaced),
            ("closed: connection that ended during its handshake", counts.unfinished),
            ("closed: connection with too many subscriptions", counts.greedy),
            ("closed: connection that does not speak ZMTP 3", counts.broken[.otherVersion, default: 0]),
            ("closed: connection that sets a routing id", counts.broken[.setsRoutingID, default: 0]),
            ("closed: connection with a message of several parts", counts.broken[.severalParts, default: 0]),
            ("closed: connection with too many bytes without a hello", counts.broken[.tooMuchUnread, default: 0]),
            ("closed: connection to the publisher beyond its process's share", counts.beyondShare),
            ("refused: connection to the publisher that comes too often", counts.tooOften),
            ("refused: connection from a machine whose handshakes fail too often", counts.failsTooOften),
            ("refused: connection that needs a reserved descriptor", counts.reserved),
        ]
    }

    /// What an operator should know about the connections; `nil` for nothing.
    public func pressure(at now: MonotonicInstant) -> ConnectionPressure? {
        let found = table.withLock { table -> (ConnectionPressure, ConnectionTable.ID?)? in
            let isPressed = table.isPressed(at: now)
            guard isPressed || table.waiting > budget.waiting / 2 else { return nil }
            let most = table.greediest
            let pressure = ConnectionPressure(
                waiting: table.waiting, maximum: budget.waiting, isPressed: isPressed, mostWaiting: most?.waiting ?? 0)
            return (pressure, most?.example)
        }
        guard case (var pressure, let example)? = found else { return nil }
        if let example, let name = ConnectionPressure.name(ofOwnerOf: example.descriptor), Self.isOpen(example) {
            pressure.most = name
        }
        return pressure
    }

    // MARK: - Descriptors

    private static func id(of descriptor: Int32) -> ConnectionTable.ID? {
        let cookie = scenebus_cookie(descriptor)
        return cookie == 0 ? nil : ConnectionTable.ID(descriptor: descriptor, cookie: cookie)
    }

    /// The process at the other end of a Unix-domain socket, or the machine at that of another one, as a negative number.
    /// The system attests it, whatever the process says. It is 0 when the system does not know the process.
    package static func owner(of descriptor: Int32) -> Int {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
        }
        guard result == 0, address.ss_family != sa_family_t(AF_UNIX) else {
            return Int(scenebus_peer_process(descriptor))
        }
        return MachineAddress(address).number
    }

    /// Sets how many bytes may arrive over a connection, unless its descriptor is that of another one by now.
    private static func allow(_ count: Int, over connection: ConnectionTable.ID) {
        if isOpen(connection) { scenebus_allow(connection.descriptor, count) }
    }

    private static func isOpen(_ connection: ConnectionTable.ID) -> Bool {
        id(of: connection.descriptor)?.cookie == connection.cookie
    }

    /// Makes libzmq close a connection, by ending it below.
    private static func close(_ connection: ConnectionTable.ID) {
        // libzmq may close it at any time, and its descriptor may then be another file's. The copy stays what it is.
        let copy = fcntl(connection.descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return }
        if id(of: copy)?.cookie == connection.cookie { shutdown(copy, Int32(SHUT_RDWR)) }
        Glibc.close(copy)
    }

    // MARK: - The I/O thread

    fileprivate func accepted(_ descriptor: Int32, _ watch: scenebus_watch) -> Bool {
        guard let id = Self.id(of: descriptor) else { return false }
        let owner = Self.owner(of: descriptor)
        let verdict = table.withLock {
            scenebus_allow(descriptor, watch.has_keys ? Self.maximumHandshake : Self.maximumUnheard)
            return $0.accepted(id, of: owner, isPublisher: watch.is_metered, hasKeys: watch.has_keys, at: .now)
        }
        if let victim = verdict.victim { Self.close(victim) }
        return verdict.isKept
    }

    fileprivate func admitted(_ descriptor: Int32) {
        guard let id = Self.id(of: descriptor) else { return }
        table.withLock { if $0.admitted(id) { scenebus_allow(descriptor, Self.maximumUnheard) } }
    }

    fileprivate func received(_ descriptor: Int32, _ bytes: Int) -> Bool {
        guard let id = Self.id(of: descriptor) else { return true }
        return table.withLock { table in
            if bytes > 0 { return table.received(id, bytes: bytes, at: .now) }
            table.ended(id, at: .now)
            return true
        }
    }

    fileprivate func broken(_ descriptor: Int32, by wrong: scenebus_wrong) {
        guard let id = Self.id(of: descriptor), let reason = ConnectionTable.Break(wrong) else { return }
        table.withLock { $0.broken(id, by: reason, at: .now) }
    }
}

extension ConnectionTable.Break {
    /// - Returns: `nil` if nothing is wrong.
    init?(_ wrong: scenebus_wrong) {
        switch wrong {
        case SCENEBUS_OTHER_ZMTP: self = .otherVersion
        case SCENEBUS_SETS_ROUTING_ID: self = .setsRoutingID
        case SCENEBUS_SEVERAL_PARTS: self = .severalParts
        case SCENEBUS_TOO_MUCH_UNREAD: self = .tooMuchUnread
        default: return nil
        }
    }
}

/// The gates of this process, by number. libzmq may still accept a connection when a gate is gone.
private struct Gates {
    static let shared: Mutex<Gates> = {
        scenebus_watch_connections(
            { number, descriptor, watch in
                Gates.shared.withLock { $0[number] }?.accepted(descriptor, watch) ?? false
            },
            { number, descriptor in Gates.shared.withLock { $0[number] }?.admitted(descriptor) },
            { number, descriptor, bytes in
                Gates.shared.withLock { $0[number] }?.received(descriptor, bytes) ?? true
            },
            { number, descriptor, wrong in
                Gates.shared.withLock { $0[number] }?.broken(descriptor, by: wrong)
            })
        return Mutex(Gates())
    }()

    private struct Reference { weak var gate: ConnectionGate? }

    private var gates: [Int32: Reference] = [:]
    private var last: Int32 = 0

    mutating func next() -> Int32 {
        last += 1
        return last
    }

    mutating func add(_ gate: ConnectionGate, as number: Int32) { gates[number] = Reference(gate: gate) }
    mutating func remove(_ number: Int32) { gates[number] = nil }
    subscript(number: Int32) -> ConnectionGate? { gates[number]?.gate }
}
