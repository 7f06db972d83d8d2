import Glibc
import Testing

/// A terminal without a screen, in which a test types and reads the output.
final class PseudoTerminal: Sendable {
    private let master: Int32
    private let slave: Int32
    /// The terminal's path. It becomes the controlling terminal of a session leader that opens it.
    let path: String

    init() throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // The same calls as unlockpt and ptsname, which Glibc's module lacks: TIOCSPTLCK and TIOCGPTN.
        var isLocked: CInt = 0
        var number: CUnsignedInt = 0
        try #require(ioctl(master, 0x4004_5431, &isLocked) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
        path = "/dev/pts/\(number)"
        // Kept open, because the terminal loses its settings when the last process closes it.
        slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(slave >= 0)
    }

    deinit {
        close(slave)
        close(master)
    }

    /// Whether the terminal echoes input.
    var echoes: Bool {
        var settings = termios()
        return tcgetattr(slave, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    func type(_ text: String) throws {
        try #require(text.withCString { write(master, $0, strlen($0)) } == text.utf8.count)
    }

    /// Gives the terminal a size. Without one it has none.
    func resize(columns: UInt16, rows: UInt16) throws {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(master, UInt(TIOCSWINSZ), &size) == 0)
    }

    /// Reads until a text has appeared.
    /// - Returns: All output since the last call.
    @discardableResult
    func shown(until text: String) async throws -> String { try await shown(until: "'\(text)'") { $0.contains(text) } }

    /// Reads until the output is as expected.
    /// - Parameter what: what is expected, for people.
    /// - Returns: All output since the last call.
    @concurrent
    @discardableResult
    func shown(until what: String, _ isExpected: @Sendable (String) -> Bool) async throws -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let shown = String(decoding: bytes, as: UTF8.self)
            if isExpected(shown) { return shown }
            var event = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            try #require(poll(&event, 1, 30_000) == 1, "\(what) did not appear within 30 s, only '\(shown)'")
            let count = read(master, &buffer, buffer.count)
            try #require(count > 0)
            bytes += buffer[..<count]
        }
    }
}
