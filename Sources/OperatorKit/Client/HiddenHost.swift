import Bus
import Foundation
import Glibc
import PeerLink

/// A running host whose socket is missing, because somebody has removed it.
struct HiddenHost: CustomStringConvertible {
    let process: Int32
    /// The lock by which the host was found.
    let lock: String
    /// Whether the lock is in the runtime folder, where the host makes its sockets anew.
    let isInRuntimeFolder: Bool

    /// - Returns: `nil` when no process holds the lock of the host, or of its store in the usual place.
    init?(_ name: BusName, _ directory: HostDirectory) {
        if let process = LockHolder.process(of: directory.lockFile) {
            self.init(process: process, lock: directory.lockFile, isInRuntimeFolder: true)
            return
        }
        guard let state = UserAccount.stateFolder(environment: { getenv($0).map { String(cString: $0) } }) else {
            return nil
        }
        // The hosts of applications of their own have a folder each.
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: state))?.sorted() ?? []
        for folder in [state] + folders.map({ "\(state)/\($0)" }) {
            let lock = "\(folder)/\(name).sqlite.lock"
            if let process = LockHolder.process(of: lock) {
                self.init(process: process, lock: lock, isInRuntimeFolder: false)
                return
            }
        }
        return nil
    }

    private init(process: Int32, lock: String, isInRuntimeFolder: Bool) {
        self.process = process
        self.lock = lock
        self.isInRuntimeFolder = isInRuntimeFolder
    }

    var description: String {
        let advice =
            isInRuntimeFolder
            ? "its socket is missing, and it makes a new one within two seconds: try again; if that does not help,"
            : "it has no runtime folder here: set the same SCENEBUS_RUNTIME if it has another one; if the folder was "
                + "removed, it makes a new one within two seconds: try again; else"
        return "a host is running (process \(process), which holds \(lock)), but \(advice) read its log, and restart it"
    }
}
