import Bus

/// Reads the records of a host's tap, and counts those that are missing. It is a value.
struct TapRecords {
    /// The number of records that never arrived, counted from the gaps in their sequence numbers.
    private(set) var lost: UInt64 = 0
    private var next: UInt64?

    /// - Returns: the record; `nil` for a frame without one.
    mutating func read(_ frame: Frame) -> TapRecord? {
        guard frame.kind == .tap, let record = try? frame.decodePayload(as: TapRecord.self) else { return nil }
        if let next, record.sequence > next { lost &+= record.sequence - next }
        next = record.sequence &+ 1
        return record
    }
}
