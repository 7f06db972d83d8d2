import Bus
import Messaging
import ZeroMQ

/// What a link needs for each message: its state, what is on its way on it, and the requests that wait for it.
struct LinkTraffic {
    var machine: LinkMachine
    var clock: HostClock?
    var dealer: SocketPort?
    /// Counts the connections to hosts.
    var generation: UInt64 = 0
    /// The number of messages and frames that have arrived from the host over the bus.
    var received: (messages: UInt64, frames: UInt64) = (0, 0)
    /// The messages that the host has sent before the link was ready.
    var early = MessagesBeforeReady()
    /// The texts of the frames from the host.
    var texts = FrameTexts()
    /// The requests that have no reply yet. Each leaves the queue exactly once, and ends then.
    var requests = RequestQueue<PendingReply>()
    /// How many requests the host allows in flight.
    var credits = Int.max
    /// The bytes in flight to the host on this link.
    var sendWindow = SendWindow()
    /// The bytes received from the host on this link.
    var receivedBytes = ReceivedBytes()
    /// The frames and entries that wait for the window.
    var outbox = Outbox()
    /// The frames that leave together with others of this turn.
    var outgoing = OutgoingFrames()

    init(machine: LinkMachine) {
        self.machine = machine
    }

    /// Whether the host accepts a frame of this size now.
    func hasRoom(for count: Int) -> Bool { outbox.isEmpty && sendWindow.hasRoom(for: count) }

    /// Takes the next request that may be sent.
    mutating func nextRequest() -> (id: UInt64, request: RequestQueue<PendingReply>.Request)? {
        // Copies, because the queue is being changed meanwhile.
        let (isOutboxEmpty, window) = (outbox.isEmpty, sendWindow)
        guard requests.inFlight < credits else { return nil }
        return requests.next { isOutboxEmpty && window.hasRoom(for: $0) }
    }

    /// Takes the next frame of the outbox, if the window has room for it.
    mutating func nextOutboxFrame() -> [UInt8]? {
        let window = sendWindow
        return outbox.next(fitting: window.hasRoom(for:))
    }
}
