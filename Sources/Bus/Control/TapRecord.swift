package import Messaging

/// A frame that passed the host, as the monitor shows it.
package struct TapRecord: Codable, Hashable, Sendable {
    /// The host, in place of a peer's name.
    package static let host = "host"
    /// All peers, in place of a peer's name.
    package static let everyone = "*"

    /// The record's number in the host's life. A gap shows that the listener has lost records.
    package var sequence: UInt64
    /// Microseconds on the host's clock.
    package var time: UInt64
    /// The peer that sent it, or ``host``.
    package var from: String
    /// The peer that receives it, or ``host``; ``everyone`` for published frames.
    package var to: String
    /// The name of the frame's kind, such as "request".
    package var kind: String
    /// The message's name; empty for a frame without one.
    package var name: String
    /// The session's identifier; empty for a frame without one.
    package var session: String
    /// The class name of the responder that sent it; empty for a frame without one.
    package var sender: String
    /// The frame's size in bytes.
    package var size: Int
    /// For a reply or failure, the microseconds since its request passed the host. `nil` for other frames, and when the
    /// tap was off at that time.
    package var latency: UInt64?
    /// The trace id, as 32 hexadecimal digits.
    package var trace: String?

    package init(
        sequence: UInt64, time: UInt64, from: String, to: String, kind: String, name: String, session: String,
        sender: String, size: Int, latency: UInt64?, trace: String?
    ) {
        self.sequence = sequence
        self.time = time
        self.from = from
        self.to = to
        self.kind = kind
        self.name = name
        self.session = session
        self.sender = sender
        self.size = size
        self.latency = latency
        self.trace = trace
    }
}

extension TraceContext {
    /// The trace id in the format of W3C Trace Context.
    package var hex: String {
        [traceHigh, traceLow].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
