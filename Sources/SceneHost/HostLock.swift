import Glibc
import PeerLink

/// The right to be the one host of a directory. libzmq would let a second host take a socket file over in silence.
final class HostLock {
    private let directory: HostDirectory
    private let lock: LockFile

    /// Makes the folder so that only this user can enter it, and takes the lock.
    /// - Throws: ``HostError`` that names the process that has it, or says what is wrong with the folder.
    init(_ directory: HostDirectory) throws {
        self.directory = directory
        if directory.isTooLong {
            throw HostError(
                .usage,
                "the runtime folder \(directory.folder) is too long for a socket's address; set SCENEBUS_RUNTIME to a shorter one"
            )
        }
        while true {
            do {
                try PrivateFolder.make(directory.folder)
                lock = try LockFile(directory.lockFile)
                return
            } catch let error as FolderError {
                if error.code == .missing { continue }
                throw HostError(
                    error.code == .unsafe ? .refused : .failed,
                    "the runtime folder: \(error); mend that, or set SCENEBUS_RUNTIME to another")
            } catch LockFile.Failure.held(let owner) {
                throw HostError(
                    .inUse,
                    "a host runs there already (\(owner), \(directory.folder)); stop it, or give this one another --name"
                )
            } catch LockFile.Failure.noFolder {
                // The host before has removed it at its end.
                continue
            } catch LockFile.Failure.failed(let reason) {
                throw HostError(.failed, "the runtime folder: \(reason); or set SCENEBUS_RUNTIME to another")
            }
        }
    }

    /// Takes the sockets from others: libzmq makes them for whoever may enter the folder.
    func restrictSockets() {
        for path in sockets { chmod(path, 0o600) }
    }

    private var sockets: [String] {
        [directory.endpoint, directory.publisher].map { String($0.dropFirst("ipc://".count)) }
    }

    /// Removes what the host left behind, and lets the next one in.
    func release() {
        for path in sockets { unlink(path) }
        // Where others may make folders, one of this name would be theirs, and peers that look for the host are on their way.
        let keeps = PrivateFolder.isShared(parentOf: directory.folder)
        lock.release()
        // It stays when the next host has its lock there already.
        if !keeps { rmdir(directory.folder) }
    }
}
