import Glibc

/// The process that holds a lock file, as an operator's command sees it.
package enum LockHolder {
    /// Returns the ID of the process that holds the lock on a file; `nil` when there is none, or none that this process
    /// can see.
    ///
    /// It does not try to take the lock, which could keep a host from starting at that moment.
    package static func process(of path: String) -> Int32? {
        var info = stat()
        guard stat(path, &info) == 0, let locks = text(of: "/proc/locks") else { return nil }
        return process(holding: UInt64(info.st_ino), in: locks)
    }

    /// Finds a lock in the kernel's list, which has lines such as `3: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF`.
    static func process(holding inode: UInt64, in locks: String) -> Int32? {
        for line in locks.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] == "FLOCK", let process = Int32(words[4]), process > 0,
                words[5].split(separator: ":").last == Substring(String(inode))
            else { continue }
            return process
        }
        return nil
    }

    private static func text(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
            bytes += buffer[..<count]
        }
    }
}
