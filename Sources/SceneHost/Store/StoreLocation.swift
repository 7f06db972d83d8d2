package import Bus
import Foundation
import PeerLink

/// Where a host keeps its sessions unless it is told otherwise.
package enum StoreLocation {
    /// The store of a host: `scenebus/NAME.sqlite` in `XDG_STATE_HOME`, else in `~/.local/state`. Makes its folder.
    /// - Parameter program: The id of a host of one's own, whose stores are in a folder of that name beside it: the
    ///   sessions of one application are of no use to another.
    /// - Throws: ``HostError`` when there is no home folder, or another user could write to the folder.
    package static func standard(of name: BusName, program: BusName? = nil) throws -> String {
        let environment = ProcessInfo.processInfo.environment
        guard var folder = UserAccount.stateFolder(environment: { environment[$0] }) else {
            throw HostError(
                .usage,
                "there is no home folder for the store: set HOME or XDG_STATE_HOME, or use --store FILE or --no-store"
            )
        }
        do {
            try PrivateFolder.make(folder)
            if let program {
                folder += "/\(program)"
                try PrivateFolder.make(folder)
            }
        } catch {
            throw HostError(
                error.code == .unsafe ? .refused : .failed,
                "the store's folder cannot be used: \(error); fix that, pass --store FILE, or pass --no-store")
        }
        return "\(folder)/\(name).sqlite"
    }
}
