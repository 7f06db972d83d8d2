/// When an input has waited long enough.
struct InputDeadline: Comparable {
    let deadline: ContinuousClock.Instant
    let session: String

    static func < (left: InputDeadline, right: InputDeadline) -> Bool { left.deadline < right.deadline }
}
