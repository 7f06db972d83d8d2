import AccountMessages
import AccountsModel
import CBOR
import CoordinatorKit
import Glibc
import PluginKit

@main
struct AccountsPlugin {
    static func main() {
        Plugin.main(id: "accounts", provides: ["account", "accountsExist"]) { plugin in
            let file = AccountFile(path: path(plugin))
            let responder = AccountsResponder(try AccountRegistry(file: file))
            plugin.respond(responder, to: AccountMessagesList.self)
            responder.publish()
        }
    }

    /// The file of accounts: the configuration's `file`, else one in the user's state folder.
    @MainActor
    private static func path(_ plugin: Plugin) -> String {
        if let file = plugin.configuration["file"]?.stringValue { return file }
        func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        let state = environment("XDG_STATE_HOME") ?? environment("HOME").map { $0 + "/.local/state" } ?? "/tmp"
        for folder in [state, "\(state)/scenebus"] { mkdir(folder, 0o700) }
        return "\(state)/scenebus/accounts"
    }
}
