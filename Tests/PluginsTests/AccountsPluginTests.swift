import AccountsModel
import Glibc
import TestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AccountsPluginTests {
    @Test func `A plugin whose account file is in use ends with 4, after which a host does not start it again`()
        async throws
    {
        let folder = try TemporaryFolder()
        let file = AccountFile(path: "\(folder.path)/accounts")
        let lock = try AccountFileLock(file, name: "another plugin")
        let outcome = try await BuiltProgram.run(
            "accounts-plugin",
            environment: [
                "SCENEBUS_HOST": "ipc://\(folder.path)/bus", "SCENEBUS_CONFIGURATION": "{\"file\": \"\(file.path)\"}",
            ])
        #expect(outcome.code == 4)
        #expect(outcome.error.contains("is used by process \(getpid()) (another plugin)"), "\(outcome.error)")
        withExtendedLifetime((folder, lock)) {}
    }
}
