import AccountMessages
import Messaging
import Testing

@testable import AccountsModel

@Suite(.timeLimit(.minutes(5)))
struct PasswordRuleTests {
    @Test(
        arguments: [
            "", "7 bytes", "8 bytes.", "üüüü", "üüü", String(repeating: "x", count: 1024),
            String(repeating: "x", count: 1025), "with a \0 in it",
        ])
    func `Screens are told the same of a password as the plugin says`(password: String) {
        let isTaken = (try? AccountRules.checkPassword(password)) != nil
        #expect((PasswordRule.problem(with: Secret(password)) == nil) == isTaken)
    }
}
