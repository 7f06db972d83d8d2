import CProcess
import Glibc
import PeerLink
import OperatorKit

/// Asks for a secret on the terminal with the echo turned off.
enum TerminalPrompt {
    /// Prompts for a field and reads a line.
    /// - Parameter otherWay: what to do without a terminal; `nil` for what a field's argument may be.
    /// - Throws: ``CommandError`` when this process has no terminal, or the input ends before a line.
    static func ask(for name: String, otherWay: String? = nil) throws -> String {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        var settings = termios()
        guard terminal >= 0, tcgetattr(terminal, &settings) == 0 else {
            if terminal >= 0 { close(terminal) }
            let way = otherWay ?? "pass it on standard input with '\(name)@-', or with '\(name)@FILE'"
            throw CommandError(.usage, "there is no terminal to ask for '\(name)' on: \(way)")
        }
        defer { close(terminal) }
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
        // Disables Ctrl-Z, which would leave the shell with a terminal that does not echo. 0 is _POSIX_VDISABLE.
        withUnsafeMutableBytes(of: &hidden.c_cc) { $0[Int(VSUSP)] = 0 }
        let guarded = SignalGuard(terminal, settings)
        defer { guarded.end() }
        // TCSAFLUSH discards what was typed before the prompt.
        guard tcsetattr(terminal, TCSAFLUSH, &hidden) == 0 else {
            throw CommandError(.failure, "the terminal's echo cannot be turned off to ask for '\(name)'")
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

/// Restores the terminal's settings when a signal ends the process during a prompt.
private struct SignalGuard {
    // No lock is needed, and a signal handler could not take one. Both variables are set before the handlers are
    // installed, only the handlers read them, and there is one prompt at a time.
    nonisolated(unsafe) private static var terminal: Int32 = -1
    nonisolated(unsafe) private static var settings = termios()

    private var previous: [(signal: Int32, action: sigaction)] = []

    init(_ terminal: Int32, _ settings: termios) {
        Self.terminal = terminal
        Self.settings = settings
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            var old = sigaction()
            // A signal that is ignored, such as under nohup, stays ignored.
            guard !scenebus_is_ignored(number), sigaction(number, nil, &old) == 0 else { continue }
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { number in
                // tcsetattr, signal and raise are async-signal-safe (POSIX).
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
