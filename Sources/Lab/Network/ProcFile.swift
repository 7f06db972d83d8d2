import Glibc

/// Reads small files of `/proc`.
package enum ProcFile {
    /// The text of a file; `nil` when it does not exist or cannot be read.
    static func text(at path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
            bytes += buffer[..<count]
        }
    }

    /// The start time of a process, in ticks since the start of the machine. Together with the id it identifies the
    /// process uniquely.
    static func startTime(of pid: pid_t) -> UInt64? {
        // Field 22 of the line, which is field 20 after the command.
        guard let fields = status(of: pid), fields.count > 19 else { return nil }
        return UInt64(fields[19])
    }

    /// Whether a process runs. One that has ended is still there until its parent has waited for it. For an orphan, that is the
    /// machine's first process, which may have no time for it on a busy machine.
    package static func runs(_ pid: Int32) -> Bool {
        guard let state = status(of: pid)?.first else { return false }
        return state != "Z" && state != "X"
    }

    /// The fields of a process behind its command, from its state on; `nil` if there is no such process.
    private static func status(of pid: pid_t) -> [Substring]? {
        // The second field is the command in parentheses, which may contain anything.
        guard let stat = text(at: "/proc/\(pid)/stat"), let end = stat.lastIndex(of: ")") else { return nil }
        return stat[stat.index(after: end)...].split(separator: " ")
    }
}
