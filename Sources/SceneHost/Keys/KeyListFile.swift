package import Access
import Glibc
package import PeerLink

/// The file with the keys that a host allows.
package struct KeyListFile: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// Reads the list; an empty one if there is no file.
    package func read() throws(PrivatePathError) -> KeyList {
        do throws(PrivatePathError) {
            return KeyList(try PrivateFile.read(path, maximumSize: KeyList.maximumSize, isSecret: false))
        } catch {
            guard error.code == .missing else { throw error }
            return KeyList()
        }
    }

    /// Changes the list. Other processes wait meanwhile that change it this way, too.
    /// - Parameters:
    ///   - waits: whether to wait for another process that changes the list.
    ///   - change: changes the list; if it throws, the file stays as it is.
    package func edit<Result>(waits: Bool = true, _ change: (inout KeyList) throws -> Result) throws -> Result {
        let lock = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else {
            throw PrivatePathError(.unusable, "\(path).lock cannot be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(lock) }
        // It ends with the descriptor. Who holds it does not wait for anything.
        while flock(lock, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else {
                throw PrivatePathError(.unusable, "another process changes \(path): try again")
            }
        }
        var list = try read()
        let result = try change(&list)
        try PrivateFile.write(list.text, to: path)
        return result
    }
}
