import Glibc
import Subprocess

/// How a process ended.
enum ProcessEnd: Hashable, Sendable {
    case exited(Int32)
    case signaled(Int32)
    /// The host has killed it, for that reason.
    case killed(String)
    /// It could not be started.
    case notStarted(String)

    init(_ status: TerminationStatus) {
        switch status {
        case .exited(let code): self = .exited(code)
        case .signaled(let signal): self = .signaled(signal)
        }
    }

    /// Whether it was given no time for last words.
    var isKilled: Bool {
        switch self {
        case .signaled, .killed: true
        case .exited, .notStarted: false
        }
    }

    /// Whether there was a process.
    var wasStarted: Bool {
        if case .notStarted = self { false } else { true }
    }

    private static let codes: [Int32: String] = [1: " (failed)", 2: " (wrong usage)", 4: " (refused)"]
    private static let signals: [Int32: String] = [
        SIGABRT: "crashed (SIGABRT)", SIGBUS: "crashed (SIGBUS)", SIGFPE: "crashed (SIGFPE)",
        SIGILL: "crashed (SIGILL)", SIGSEGV: "crashed (SIGSEGV)", SIGTRAP: "crashed (SIGTRAP)",
        SIGKILL: "was killed (SIGKILL)", SIGTERM: "was told to end (SIGTERM)", SIGINT: "was told to end (SIGINT)",
        SIGPIPE: "wrote to what nobody reads (SIGPIPE)",
    ]

    /// The longest line that is quoted, in characters.
    private static let maximumQuote = 300

    /// How it ended, in words, and what it said last.
    func words(lastLine: String?) -> String {
        let end =
            switch self {
            case .exited(let code): "ended with code \(code)\(Self.codes[code] ?? "")"
            case .signaled(let signal): Self.signals[signal] ?? "was ended by signal \(signal)"
            case .killed(let reason): "killed: \(reason)"
            case .notStarted(let reason): reason
            }
        guard let lastLine else { return end }
        let quote = lastLine.count > Self.maximumQuote ? lastLine.prefix(Self.maximumQuote) + "…" : lastLine[...]
        return "\(end): \(quote)"
    }
}
