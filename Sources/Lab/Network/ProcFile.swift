import Glibc

/// Reads small files of `/proc`.
enum ProcFile {
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
        // The second field is the command in parentheses, which may contain anything.
        guard let stat = text(at: "/proc/\(pid)/stat"), let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        // Field 22 of the line, which is field 20 after the command.
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }
}
