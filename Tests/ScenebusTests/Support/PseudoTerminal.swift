import Glibc
import Testing

/// A terminal without a screen: a test types, and reads what is shown.
final class PseudoTerminal: Sendable {
    private let master: Int32
    private let slave: Int32
    /// Becomes the terminal of the first process of a session that opens it.
    let path: String

    init() throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // As unlockpt and ptsname do it, which Glibc's module leaves out: TIOCSPTLCK, TIOCGPTN.
        var isLocked: CInt = 0
        var number: CUnsignedInt = 0
        try #require(ioctl(master, 0x4004_5431, &isLocked) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
        path = "/dev/pts/\(number)"
        // Kept open: it would forget its settings with the last process that has it open.
        slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(slave >= 0)
    }

    deinit {
        close(slave)
        close(master)
    }

    /// Whether it shows what is typed.
    var echoes: Bool {
        var settings = termios()
        return tcgetattr(slave, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    func type(_ text: String) throws {
        try #require(text.withCString { write(master, $0, strlen($0)) } == text.utf8.count)
    }

    /// Reads until something was shown.
    /// - Returns: all that was shown since the last call.
    @concurrent
    @discardableResult
    func shown(until text: String) async throws -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let shown = String(decoding: bytes, as: UTF8.self)
            if shown.contains(text) { return shown }
            var event = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            try #require(poll(&event, 1, 30_000) == 1, "within 30 s only '\(shown)' was shown, not '\(text)'")
            let count = read(master, &buffer, buffer.count)
            try #require(count > 0)
            bytes += buffer[..<count]
        }
    }
}
