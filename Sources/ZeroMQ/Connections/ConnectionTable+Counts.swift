extension ConnectionTable {
    /// Counts the connections that were closed or refused, by reason.
    struct Counts: Hashable, Sendable {
        /// Closed because nothing was said over them in time.
        var silent: UInt64 = 0
        /// Ended by the other side, or by libzmq, before the handshake with its key was over.
        var unfinished: UInt64 = 0
        /// Closed because too many others came that had said nothing either.
        var displaced: UInt64 = 0
        /// Closed because their process or machine has too many to the publisher.
        var beyondShare: UInt64 = 0
        /// Refused because their process or machine connects to the publisher too often.
        var tooOften: UInt64 = 0
        /// Refused because too many handshakes of their machine have failed.
        var failsTooOften: UInt64 = 0
        /// Refused because the rest of the descriptors is reserved.
        var reserved: UInt64 = 0
        /// Closed because they had subscribed to too much.
        var greedy: UInt64 = 0
        /// Closed because of what ZeroMQ would have read.
        var broken: [Break: UInt64] = [:]
    }

    /// Whether connections were refused or displaced a short time ago.
    func isPressed(at now: MonotonicInstant) -> Bool { lastPressure.map { now - $0 < .seconds(60) } ?? false }

    /// Why a connection to the bus is closed before ZeroMQ reads what has arrived over it.
    enum Break: Hashable, Sendable, CaseIterable {
        /// It does not speak ZMTP 3.
        case otherVersion
        case setsRoutingID, severalParts
        /// More has arrived without a hello than the host keeps.
        case tooMuchUnread
    }
}
