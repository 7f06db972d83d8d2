/// The identity of a trace and of the span in it, as W3C Trace Context defines them
/// (<https://www.w3.org/TR/trace-context/>).
public struct TraceContext: Hashable, Sendable {
    /// The more significant 8 bytes of the trace's id. An id of zero means that there is no trace.
    public var traceHigh: UInt64
    /// The less significant 8 bytes of the trace's id.
    public var traceLow: UInt64
    /// The id of the span that sent the message.
    public var span: UInt64

    /// No trace.
    public static let none = TraceContext(traceHigh: 0, traceLow: 0, span: 0)

    public init(traceHigh: UInt64, traceLow: UInt64, span: UInt64) {
        self.traceHigh = traceHigh
        self.traceLow = traceLow
        self.span = span
    }
}

extension TraceContext {
    /// Makes a new trace with its first span.
    @MainActor package static func newTrace() -> TraceContext {
        TraceContext(traceHigh: nextNumber(), traceLow: nextNumber(), span: nextNumber())
    }

    /// Makes a new span of the same trace.
    @MainActor package func child() -> TraceContext {
        TraceContext(traceHigh: traceHigh, traceLow: traceLow, span: Self.nextNumber())
    }

    @MainActor private static var state = UInt64.random(in: .min ... .max)

    /// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014), from a random start. Ids
    /// must differ but need not be unguessable, and three random numbers from the system cost as much as encoding a
    /// message.
    /// - Returns: A number other than 0, because an id of 0 means that there is none.
    @MainActor private static func nextNumber() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return max(1, mixed ^ (mixed >> 31))
    }
}
