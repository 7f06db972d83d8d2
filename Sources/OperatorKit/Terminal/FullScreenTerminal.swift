import Glibc
import Messaging

/// The terminal of this process, while a command draws on all of it.
///
/// Keys are not echoed, and the screen that was there before comes back at the end.
@MainActor
package final class FullScreenTerminal {
    /// Whether this process reads from a terminal and writes to one that can be drawn on.
    package static var isAvailable: Bool { isatty(input) == 1 && isDrawable }

    /// Whether this process writes to a terminal that can be drawn on.
    package static var isDrawable: Bool {
        isatty(STDOUT_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// The descriptor from which keys are read.
    package static let input = STDIN_FILENO

    /// The alternate screen, without a wrap at the last column, and with marks around what is pasted.
    private static let begin = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J"
    private static let end = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private let settings: termios
    private let readsKeys: Bool
    /// The descriptor of the terminal whose settings are changed.
    private let keyboard: Int32
    /// The terminal, opened again: it must not block this process, and its other users must not notice.
    private let output: Int32

    /// - Parameter readsKeys: whether keys come as they are pressed. Without that, what is typed is dropped, but for Ctrl-C
    ///   and Ctrl-\\, which send their signals, and the input need not be a terminal.
    /// - Throws: ``CommandError`` if the terminal cannot be used.
    package init(readsKeys: Bool = true) throws {
        self.readsKeys = readsKeys
        keyboard = readsKeys ? Self.input : STDOUT_FILENO
        var settings = termios()
        guard tcgetattr(keyboard, &settings) == 0 else { throw Self.error("read the terminal's settings") }
        let output = open("/proc/self/fd/\(STDOUT_FILENO)", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard output >= 0 else { throw Self.error("open the terminal") }
        (self.settings, self.output) = (settings, output)
    }

    deinit { close(output) }

    /// Takes the terminal. Call it again when the process goes on after it was stopped.
    package func enter() async throws {
        var changed = settings
        if readsKeys { cfmakeraw(&changed) } else { Self.makeQuiet(&changed) }
        guard tcsetattr(keyboard, TCSADRAIN, &changed) == 0 else { throw Self.error("change the terminal's settings") }
        try await write(Self.begin)
    }

    /// Gives the terminal back as it was. What has been typed and not read is dropped: it was not meant for the next program.
    package func leave() {
        var delays = 0
        // A terminal that takes nothing must not keep the process.
        try? Self.write(Self.end, to: output) {
            delays += 1
            return delays > 5
        }
        var settings = settings
        tcsetattr(keyboard, TCSANOW, &settings)
        tcflush(keyboard, TCIFLUSH)
    }

    /// Turns off the echo, and Ctrl-Z: a stopped process could not give the terminal back.
    private static func makeQuiet(_ settings: inout termios) {
        settings.c_lflag &= ~tcflag_t(ECHO)
        // 0 is the code of no key.
        withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(VSUSP)] = 0 }
    }

    /// The present size; that of an old terminal if it is not known.
    package var size: TerminalScreen.Size {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return TerminalScreen.Size(columns: 80, rows: 24)
        }
        return TerminalScreen.Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Reads what has been typed.
    /// - Returns: `nil` when the terminal is gone.
    package func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(Self.input, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Writes a text. The main actor is free meanwhile: a slow terminal must not cost the link to the host.
    /// - Throws: `CancellationError` when the task is cancelled; ``CommandError`` when the terminal is gone.
    package func write(_ text: String) async throws { try await Self.write(text, to: output) }

    @concurrent
    private static func write(_ text: String, to output: Int32) async throws {
        try write(text, to: output) { Task.isCancelled }
        try Task.checkCancellation()
    }

    /// How long a terminal that takes nothing is waited for before it is asked again whether to go on, in milliseconds.
    private nonisolated static let patience: Int32 = 200

    private nonisolated static func write(_ text: String, to output: Int32, unless isOver: () -> Bool) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var request = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                if poll(&request, 1, patience) == 0, isOver() { return }
            } else if errno != EINTR {
                throw error("write to the terminal")
            }
        }
    }

    private nonisolated static func error(_ what: String) -> CommandError {
        CommandError(.failure, "cannot \(what): \(String(cString: strerror(errno)))")
    }
}
