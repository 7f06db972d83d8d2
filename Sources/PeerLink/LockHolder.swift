import Foundation
import Glibc

/// The process that holds a lock file, as an operator's command sees it.
package enum LockHolder {
    /// Returns the ID of the process that holds the lock on a file; `nil` when there is none, or none that this process
    /// can see.
    ///
    /// It does not try to take the lock, which could keep a host from starting at that moment.
    package static func process(of path: String) -> Int32? {
        var info = stat()
        guard stat(path, &info) == 0, let locks = KernelFile.text(of: "/proc/locks") else { return nil }
        return process(holding: info, in: locks)
    }

    /// Finds the process with the lock on a file that also has the file open.
    ///
    /// Files of several file systems have the same inode, and the list's device is not always that of `stat`.
    static func process(holding file: stat, in locks: String) -> Int32? {
        processes(holding: UInt64(file.st_ino), in: locks).first { hasOpen(file, process: $0) }
    }

    /// Finds the locks in the kernel's list, which has lines such as `3: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF`.
    static func processes(holding inode: UInt64, in locks: String) -> [Int32] {
        locks.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] == "FLOCK", let process = Int32(words[4]), process > 0,
                words[5].split(separator: ":").last == Substring(String(inode))
            else { return nil }
            return process
        }
    }

    private static func hasOpen(_ file: stat, process: Int32) -> Bool {
        let folder = "/proc/\(process)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains { name in
            var info = stat()
            return stat("\(folder)/\(name)", &info) == 0
                && (info.st_dev, info.st_ino) == (file.st_dev, file.st_ino)
        }
    }
}
