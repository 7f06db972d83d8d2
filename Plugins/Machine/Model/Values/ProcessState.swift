/// The state of a process.
public enum ProcessState: String, Codable, Hashable, Sendable, CaseIterable {
    /// Runs or waits for a processor.
    case running
    /// Waits for an event and can be interrupted.
    case sleeping
    /// Waits for a disk or a driver and can't be interrupted.
    case uninterruptible
    /// Stopped by a signal or by a debugger.
    case stopped
    /// Has ended, but its parent hasn't collected its exit status yet.
    case zombie
    /// An idle kernel thread.
    case idle
    /// A state that this program doesn't know.
    case unknown

    init(letter: UInt8) {
        self =
            switch letter {
            case UInt8(ascii: "R"): .running
            case UInt8(ascii: "S"): .sleeping
            case UInt8(ascii: "D"): .uninterruptible
            case UInt8(ascii: "T"), UInt8(ascii: "t"): .stopped
            case UInt8(ascii: "Z"), UInt8(ascii: "X"), UInt8(ascii: "x"): .zombie
            case UInt8(ascii: "I"): .idle
            default: .unknown
            }
    }
}
