import Foundation
import PeerLink

/// Where a host keeps its sessions unless it is told otherwise.
package enum StoreLocation {
    /// The store of a host: `scenebus/NAME.sqlite` in `XDG_STATE_HOME`, else in `~/.local/state`. Makes its folder.
    /// - Throws: ``HostError`` when there is no home folder, or another user could write to the folder.
    package static func standard(of name: String) throws -> String {
        let environment = ProcessInfo.processInfo.environment
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let state = state ?? UserAccount.home(environment: { environment[$0] }).map({ $0 + "/.local/state" })
        else {
            throw HostError(
                .usage,
                "there is no home folder for the store: set HOME or XDG_STATE_HOME, or use --store FILE or --no-store"
            )
        }
        let folder = "\(state)/scenebus"
        do {
            try PrivateFolder.make(folder)
        } catch {
            throw HostError(
                error.code == .unsafe ? .refused : .failed,
                "the store's folder cannot be used: \(error); fix that, pass --store FILE, or pass --no-store")
        }
        return "\(folder)/\(name).sqlite"
    }
}
