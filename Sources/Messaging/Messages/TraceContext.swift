/// The identity of a trace and of the span in it, as W3C Trace Context defines them (<https://www.w3.org/TR/trace-context/>).
public struct TraceContext: Hashable, Sendable {
    /// The trace's 16 bytes, most significant half first. All zero means: no trace.
    public var traceHigh: UInt64
    /// The second half of the trace's bytes.
    public var traceLow: UInt64
    /// The 8 bytes of the span that sent the message.
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
    /// A new trace with its first span.
    @MainActor package static func newTrace() -> TraceContext {
        TraceContext(traceHigh: nextNumber(), traceLow: nextNumber(), span: nextNumber())
    }

    /// A new span of the same trace.
    @MainActor package func child() -> TraceContext {
        TraceContext(traceHigh: traceHigh, traceLow: traceLow, span: Self.nextNumber())
    }

    @MainActor private static var state = UInt64.random(in: .min ... .max)

    /// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014), from a random start: ids have
    /// to differ, not to be unguessable, and asking the system three times costs as much as encoding a message.
    /// - Returns: a number that is not 0, for an id of 0 means none.
    @MainActor private static func nextNumber() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return max(1, mixed ^ (mixed >> 31))
    }
}
