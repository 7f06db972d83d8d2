import Bus

/// The deadline of an input that waits for a session's scene.
struct InputDeadline: Comparable {
    let deadline: MonotonicInstant
    let session: String

    static func < (left: InputDeadline, right: InputDeadline) -> Bool { left.deadline < right.deadline }
}
