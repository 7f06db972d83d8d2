package import CoordinatorKit

/// One frame as the monitor sees it.
package struct TapRecord: Codable, Hashable, Sendable {
    /// Counts the records of a host's life: a gap is what the listener lost.
    package var sequence: UInt64
    /// Microseconds on the host's clock.
    package var time: UInt64
    package var from: String
    package var to: String
    package var kind: String
    package var name: String
    package var session: String
    package var sender: String
    /// The frame's bytes.
    package var size: Int
    /// Microseconds since the request that this ends; `nil` for other frames.
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
    /// The trace id, as W3C Trace Context writes it.
    package var hex: String {
        [traceHigh, traceLow].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
