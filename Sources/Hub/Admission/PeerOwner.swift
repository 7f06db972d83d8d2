import Access
import ZeroMQ

/// Who has opened a peer's connection, as its handshake or the system attests it, whatever the peer says. What peers share, they
/// share by their owners.
enum PeerOwner: Hashable, Sendable {
    /// A process of this machine.
    case process(Int32)
    /// A key, by its name. Machines with keys may have one address, as behind address translation.
    case key(String)
    /// A machine that has connected over the network without a key, by a hash of its address.
    case machine(Int)
    /// A peer within this process or of another process namespace, or one whose hello came behind another frame.
    case unknown

    /// - Parameter connection: the connection's descriptor; `nil` when it is not known.
    init(connection: Int32?) {
        let number = connection.map(ConnectionGate.owner) ?? 0
        self = number > 0 ? .process(Int32(number)) : number < 0 ? .machine(number) : .unknown
    }

    /// - Parameters:
    ///   - access: what the peer's key allows; `nil` for a peer without one.
    ///   - opener: who has opened the connection, as the system attests it.
    init(_ access: PeerAccess?, _ opener: PeerOwner) { self = access.map { .key($0.entry.name) } ?? opener }

    /// Whether it is a machine that has connected over the network without a key.
    var isMachine: Bool {
        if case .machine = self { true } else { false }
    }

    /// The process; `nil` for another owner.
    var process: Int32? {
        guard case .process(let process) = self else { return nil }
        return process
    }
}

extension PeerOwner: CustomStringConvertible {
    var description: String {
        switch self {
        case .process(let process): "process \(process)"
        case .key(let name): "the key '\(name)'"
        case .machine: "the same machine"
        case .unknown: "processes that the system does not name"
        }
    }
}
