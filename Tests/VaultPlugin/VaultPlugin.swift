import Logging
import PluginKit

/// A pass that nobody may see.
struct Pass: Codable, Hashable, Sendable {
    var user: String
    var token: Secret<String>
}

/// The type of a parameter whose name does not say what it is.
typealias Digits = Secret<String>

extension AppDependency {
    @Entry var vaultPass: Pass?
}

@ResponderMessages protocol VaultMessages {
    /// Opens the vault, and returns and publishes a pass with the same digits.
    func vaultOpen(user: String, digits: Digits, spare: Secret<String>?) async throws -> Pass
    /// Throws an error with all that it has got.
    func vaultFail(digits: Digits) async throws
    /// Takes a number that few secrets are.
    func vaultCount(amount: Secret<Int8>) async throws
}

extension ResponderChain: VaultMessages {}

/// Says whatever it gets, as a plugin may that is written without care.
final class Vault: PluginResponder, VaultMessages {
    struct Failure: Error {
        var message: VaultMessagesList.vaultFail
    }

    func vaultOpen(user: String, digits: Digits, spare: Secret<String>?) async throws -> Pass {
        let message = VaultMessagesList.vaultOpen(user: user, digits: digits, spare: spare)
        print("opened with \(message)")
        dump(message)
        let pass = Pass(user: user, token: digits)
        plugin?.logger.notice("opened", metadata: ["message": "\(message)", "reply": "\(pass)"])
        plugin?.appDependency.vaultPass = pass
        return pass
    }

    func vaultFail(digits: Digits) async throws {
        throw Failure(message: VaultMessagesList.vaultFail(digits: digits))
    }

    func vaultCount(amount: Secret<Int8>) async throws {}
}

/// A plugin for tests of secrets.
@main struct VaultPlugin {
    static func main() {
        Plugin.main(id: "vault", provides: ["vaultPass"]) { $0.respond(Vault(), to: VaultMessagesList.self) }
    }
}
