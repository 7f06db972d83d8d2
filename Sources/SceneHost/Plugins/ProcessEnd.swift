import CChildren
import Glibc
import Messaging
import Subprocess

/// How a process ended.
enum ProcessEnd: Hashable, Sendable {
    case exited(Int32)
    case signaled(Int32)
    /// The host killed it for this reason.
    case killed(String)
    /// It could not be started.
    case notStarted(String)

    init(_ status: TerminationStatus) {
        switch status {
        case .exited(let code): self = .exited(code)
        case .signaled(let signal): self = .signaled(signal)
        }
    }

    /// Whether a signal ended it, so that it could not shut down in order.
    var isKilled: Bool {
        switch self {
        case .signaled, .killed: true
        case .exited, .notStarted: false
        }
    }

    /// Whether it has crashed, or the program of a script that has ended with its code has.
    var isCrash: Bool {
        switch self {
        case .signaled(let signal): Self.crashes.contains(signal)
        case .exited(let code): Self.crashes.contains(code &- 128)
        case .killed, .notStarted: false
        }
    }

    private static let crashes = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

    /// Whether the process was started.
    var wasStarted: Bool {
        if case .notStarted = self { false } else { true }
    }

    /// How the process that was to become a plugin's program has ended. If the program could not be executed, it has said so.
    /// - Parameter lastLine: the last line of its output.
    func afterLaunch(lastLine: String?) -> ProcessEnd {
        let mark = String(cString: scenebus_launch_name()) + ": "
        guard self == .exited(scenebus_launch_failed()), let lastLine, lastLine.hasPrefix(mark) else { return self }
        // A program may say the same.
        let reason = String(foreign: String(lastLine.dropFirst(mark.count)), maximumLength: Self.maximumQuote)
        return .notStarted("it cannot be executed: \(reason)")
    }

    private static let usedUpTime = "used up its 'limits.cpuSeconds' (SIGXCPU)"
    private static let codes: [Int32: String] = [
        1: " (failed)", 2: " (wrong usage)", 4: " (refused)", 128 + SIGXCPU: ": its program \(usedUpTime)",
    ]
    private static let signals: [Int32: String] = [
        SIGABRT: "crashed (SIGABRT)", SIGBUS: "crashed (SIGBUS)", SIGFPE: "crashed (SIGFPE)",
        SIGILL: "crashed (SIGILL)", SIGSEGV: "crashed (SIGSEGV)", SIGTRAP: "crashed (SIGTRAP)",
        SIGKILL: "was killed (SIGKILL)", SIGTERM: "was terminated (SIGTERM)", SIGINT: "was interrupted (SIGINT)",
        SIGPIPE: "wrote to a closed pipe (SIGPIPE)", SIGXCPU: usedUpTime,
    ]

    /// The maximum length of a quoted line, in characters.
    private static let maximumQuote = 300

    /// Describes how the process ended, and quotes its last line of output.
    /// - Parameter hint: what may be the cause.
    func words(lastLine: String?, hint: String? = nil) -> String {
        var end =
            switch self {
            case .exited(let code): "ended with code \(code)\(Self.codes[code] ?? "")"
            case .signaled(let signal): Self.signals[signal] ?? "was ended by signal \(signal)"
            case .killed(let reason): "killed: \(reason)"
            case .notStarted(let reason): reason
            }
        if let hint { end += " (\(hint))" }
        guard let lastLine, wasStarted else { return end }
        let quote = String(foreign: lastLine.withoutTerminalSequences, maximumLength: Self.maximumQuote)
        return "\(end): \(quote)"
    }
}
