import AccountMessages
public import AccountsModel
public import Messaging
import PluginKit

@main
struct AccountsPlugin {
    static func main() {
        Plugin.main(id: "accounts", provides: ["account", "accountsExist"]) { plugin in
            let file = try plugin.configuration["file"]?.stringValue.map(AccountFile.init) ?? .standard()
            // Locked before the file is read, so that no other process can change it afterwards.
            let lock = try AccountFileLock(file, name: plugin.id)
            let responder = AccountsResponder(try AccountBook(file: file), lock: lock)
            plugin.respond(responder, to: AccountMessagesList.self)
            responder.publish()
        }
    }
}

extension AccountsError: ExitCoded {
    public var exitCode: ProcessExitCode {
        switch code {
        case .inUse, .unprotected, .noFolder: .refused
        default: .failure
        }
    }
}
