/// Decides when the log says again why a plugin has ended, or could not be started. It is a value.
///
/// The host tries again for good, and the same lines every few seconds would hide all others.
struct RepeatedReason {
    private var last: (words: String, end: ProcessEnd)?
    private var count = 0

    /// Notes a reason, which may quote the process's output, and how the process ended.
    /// - Returns: how often it has come in a row, if the log says so: at first, and after 10, 100, 1,000 times and so on.
    mutating func add(_ reason: String, of end: ProcessEnd) -> Int? {
        // The time of day or a process ID in a quoted line makes it no other reason.
        let words = reason.filter { !$0.isNumber }
        count = last?.words == words && last?.end == end ? count + 1 : 1
        last = (words, end)
        var rest = count
        while rest.isMultiple(of: 10) { rest /= 10 }
        return rest == 1 ? count : nil
    }

    /// The next reason is a new one in any case.
    mutating func forget() { last = nil }
}
