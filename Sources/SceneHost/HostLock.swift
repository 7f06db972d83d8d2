import Foundation
import Glibc
import Link

/// The right to be the one host of a directory. libzmq would let a second host take a socket file over in silence.
final class HostLock {
    private let descriptor: Int32
    private let directory: HostDirectory

    /// Takes the lock and writes this process's id into it.
    /// - Throws: ``HostError`` that names the process that has it.
    init(_ directory: HostDirectory) throws {
        self.directory = directory
        if directory.isTooLong {
            throw HostError(
                .usage,
                "the runtime folder \(directory.folder) is too long for a socket's address; set SCENEBUS_RUNTIME to a shorter one"
            )
        }
        do {
            try FileManager.default.createDirectory(
                atPath: directory.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw HostError(
                .failed, "cannot make the runtime folder \(directory.folder): \(error.localizedDescription)")
        }
        try Self.checkOwner(of: directory.folder)
        descriptor = open(directory.lockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw HostError(.failed, "cannot open \(directory.lockFile): \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let owner = (try? String(contentsOfFile: directory.lockFile, encoding: .utf8)) ?? ""
            close(descriptor)
            throw HostError(
                .inUse,
                """
                a host runs there already (process \(owner.trimmingCharacters(in: .whitespacesAndNewlines)), \
                \(directory.folder)); stop it, or give this one another --name
                """)
        }
        ftruncate(descriptor, 0)
        let text = "\(getpid())\n"
        _ = text.withCString { write(descriptor, $0, strlen($0)) }
    }

    /// Whoever may put files there may listen in the host's place.
    private static func checkOwner(of folder: String) throws {
        let parent = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        for path in [folder, parent] {
            var info = stat()
            guard stat(path, &info) == 0 else {
                throw HostError(.failed, "cannot look at \(path): \(String(cString: strerror(errno)))")
            }
            // The parent may be open to all, as a volume that a container mounts is.
            let isOpen = path == folder && info.st_mode & S_IWOTH != 0
            guard info.st_uid == geteuid() || info.st_uid == 0, !isOpen else {
                let what = isOpen ? "every user may write to it" : "it belongs to user \(info.st_uid)"
                throw HostError(
                    .refused,
                    "the runtime folder \(path) is not safe: \(what); mend that, or set SCENEBUS_RUNTIME to another")
            }
        }
    }

    /// Removes what the host left behind, and lets the next one in.
    func release() {
        for path in [directory.endpoint, directory.publisher] {
            unlink(String(path.dropFirst("ipc://".count)))
        }
        unlink(directory.lockFile)
        rmdir(directory.folder)
        close(descriptor)
    }
}
