import AccountMessages
import CoordinatorKit
import Messaging

/// The host: it has one account, whose password is `difference`.
final class HostMock: AppDelegate, AccountMessages {
    var password = "difference"

    override func rebuildDependencies() {
        appDependency = AppDependency()
    }

    private func check(_ password: String) throws {
        guard password == self.password else {
            throw WrongPassword()
        }
    }

    func accountLogin(username: String, password: Secret<String>) async throws -> Account {
        try check(password.revealed)
        let account = Account(username: username, displayName: "Ada")
        try setForSender(account)
        return account
    }

    func accountLogout() async throws { try setForSender(nil) }

    func accountCheck(username: String, password: Secret<String>) async throws -> Account {
        try check(password.revealed)
        return Account(username: username, displayName: "Ada")
    }

    private func setForSender(_ account: Account?) throws {
        guard let application, let session = application.sendingSession else { return }
        try application.set(\.account, to: account, for: session)
    }

    func accountCreate(username: String, password: Secret<String>, displayName: String?) async throws -> Account {
        Account(username: username, displayName: displayName ?? username)
    }

    func accountChangePassword(password: Secret<String>, newPassword: Secret<String>) async throws {
        try check(password.revealed)
        self.password = newPassword.revealed
    }
}

struct WrongPassword: Error {}
