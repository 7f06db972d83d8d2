import PeerLink
import Glibc
import OperatorKit

/// Asks on the terminal for what nobody may read: what is typed is not shown.
enum TerminalPrompt {
    /// - Throws: ``CommandError`` when this process has no terminal, or nothing was typed.
    static func ask(for name: String) throws -> String {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        var settings = termios()
        guard terminal >= 0, tcgetattr(terminal, &settings) == 0 else {
            if terminal >= 0 { close(terminal) }
            throw CommandError(.usage,
                "there is no terminal to ask for '\(name)' on: give it on standard input with '\(name)@-', or with "
                    + "'\(name)@FILE'")
        }
        defer { close(terminal) }
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
        // A Ctrl-Z would leave the shell with a terminal that shows nothing. 0 is no character (_POSIX_VDISABLE).
        withUnsafeMutableBytes(of: &hidden.c_cc) { $0[Int(VSUSP)] = 0 }
        let guarded = SignalGuard(terminal, settings)
        defer { guarded.end() }
        // What was typed before was not meant for this.
        guard tcsetattr(terminal, TCSAFLUSH, &hidden) == 0 else {
            throw CommandError(.failure, "the terminal cannot be told to hide what is typed for '\(name)'")
        }
        defer {
            tcsetattr(terminal, TCSANOW, &settings)
            write("\n", to: terminal)
        }
        write("\(name.printable): ", to: terminal)
        return try FieldInput.line(from: terminal, for: name, "the terminal")
    }

    private static func write(_ text: String, to terminal: Int32) {
        _ = text.withCString { Glibc.write(terminal, $0, strlen($0)) }
    }
}

/// Gives the terminal back as it was when a signal ends the process while somebody types.
private struct SignalGuard {
    // Set before the handlers, which are the only ones to read them, and one field is asked for at a time. A handler may
    // not take a lock.
    nonisolated(unsafe) private static var terminal: Int32 = -1
    nonisolated(unsafe) private static var settings = termios()

    private var previous: [(signal: Int32, action: sigaction)] = []

    init(_ terminal: Int32, _ settings: termios) {
        Self.terminal = terminal
        Self.settings = settings
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            var old = sigaction()
            // One that is ignored, as by nohup, stays so.
            guard sigaction(number, nil, &old) == 0,
                unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self)
            else { continue }
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { number in
                // tcsetattr, signal and raise may be called in a handler (POSIX, async-signal-safe functions).
                tcsetattr(SignalGuard.terminal, TCSANOW, &SignalGuard.settings)
                signal(number, SIG_DFL)
                raise(number)
            }
            if sigaction(number, &action, nil) == 0 { previous.append((number, old)) }
        }
    }

    func end() {
        for item in previous {
            var action = item.action
            sigaction(item.signal, &action, nil)
        }
    }
}
