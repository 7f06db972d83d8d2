/// The identity of a trace and of the span in it, as W3C Trace Context defines them (<https://www.w3.org/TR/trace-context/>).
public struct TraceContext: Hashable, Sendable {
    /// The trace's 16 bytes, most significant half first. All zero means: no trace.
    public var traceHigh: UInt64
    public var traceLow: UInt64
    /// The 8 bytes of the span that sent the message.
    public var span: UInt64

    public static let none = TraceContext(traceHigh: 0, traceLow: 0, span: 0)

    public init(traceHigh: UInt64, traceLow: UInt64, span: UInt64) {
        self.traceHigh = traceHigh
        self.traceLow = traceLow
        self.span = span
    }
}

extension TraceContext {
    /// A new trace with its first span.
    package static func newTrace() -> TraceContext {
        TraceContext(
            traceHigh: .random(in: 1 ... .max), traceLow: .random(in: 0 ... .max), span: .random(in: 1 ... .max))
    }

    /// A new span of the same trace.
    package func child() -> TraceContext {
        TraceContext(traceHigh: traceHigh, traceLow: traceLow, span: .random(in: 1 ... .max))
    }
}
