import Glibc
import PeerLink

/// The lock on a host directory, which only one host holds.
///
/// It protects the folder, the sockets in it and the host's name.
final class HostLock {
    private let directory: HostDirectory
    private var lock: LockFile

    /// Creates the folder, accessible to this user only, and takes the lock.
    /// - Throws: ``HostError`` that names the process that holds the lock, or describes the problem with the folder.
    init(_ directory: HostDirectory) throws {
        self.directory = directory
        lock = try Self.take(directory)
    }

    private static func take(_ directory: HostDirectory) throws -> LockFile {
        if directory.isTooLong {
            throw HostError(
                .usage,
                "the runtime folder \(directory.folder) is too long for a socket's address; set SCENEBUS_RUNTIME to a shorter one"
            )
        }
        while true {
            do {
                try PrivateFolder.make(directory.folder)
                return try LockFile(directory.lockFile)
            } catch let error as PrivatePathError {
                if error.code == .missing { continue }
                throw HostError(
                    error.code == .unsafe ? .refused : .failed,
                    "the runtime folder: \(error); fix that, or set SCENEBUS_RUNTIME to another")
            } catch LockFile.Failure.held(let owner) {
                throw HostError(
                    .inUse,
                    "a host runs there already (\(owner), \(directory.folder)); stop it, or give this one another --name"
                )
            } catch LockFile.Failure.noFolder {
                // The previous host removed the folder when it shut down.
                continue
            } catch LockFile.Failure.failed(let reason) {
                throw HostError(.failed, "the runtime folder: \(reason); or set SCENEBUS_RUNTIME to another")
            }
        }
    }

    var folder: String { directory.folder }

    /// Whether the lock is still at its path. If not, another host can take it.
    var isThere: Bool { lock.isThere }

    /// Takes the lock anew, after somebody has removed it.
    /// - Throws: ``HostError``, in particular when another host has taken it.
    func renew() throws {
        let new = try Self.take(directory)
        lock.release()
        lock = new
    }

    /// Removes the folder, and releases the lock. The sockets remove their files themselves.
    func release() {
        // Keep the folder where other users may create one with the same name: peers may be looking for the host there.
        let keeps = !isThere || PrivateFolder.isShared(parentOf: directory.folder)
        lock.release()
        // This fails, as it should, when the next host already has its lock in the folder.
        if !keeps { rmdir(directory.folder) }
    }
}
