import TestKit
import Glibc
import Testing

@testable import AccountsModel

@Suite(.timeLimit(.minutes(5)))
struct AccountFileLockTests {
    private let folder: TemporaryFolder
    private var file: AccountFile { AccountFile(path: "\(folder.path)/accounts") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func lock(_ file: AccountFile? = nil) throws(AccountsError) -> AccountFileLock {
        try AccountFileLock(file ?? self.file, name: "accounts-plugin")
    }

    @Test func `Only one lock is granted, and the error names the process that has it`() throws {
        let first = try lock()
        let error = #expect(throws: AccountsError.self) { try lock() }
        #expect(error?.code == .inUse)
        #expect(error?.message.contains("used by process \(getpid()) (accounts-plugin)") == true)
        #expect(error?.message.contains("accounts.file=PATH") == true)
        withExtendedLifetime(first) {}
    }

    @Test func `A failed lock attempt does not close another file's descriptor`() async throws {
        let first = try lock()
        // Reuses each descriptor number that a failed lock has just closed, and detects a second close of it.
        let other = Task.detached {
            var isHurt = false
            while !Task.isCancelled, !isHurt {
                let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
                isHurt = descriptor >= 0 && close(descriptor) != 0
            }
            return isHurt
        }
        for _ in 0..<2000 { #expect(code { _ = try lock() } == .inUse) }
        other.cancel()
        #expect(await !other.value)
        withExtendedLifetime(first) {}
    }

    @Test func `The lock outlives each save and is free again after its owner has released it`() throws {
        do {
            let first = try lock()
            try file.save([])
            #expect(code { _ = try lock() } == .inUse)
            withExtendedLifetime(first) {}
        }
        let second = try lock()
        #expect(try folder.contents() == ["accounts", "accounts.lock"])
        #expect(try folder.mode(of: "accounts.lock") == S_IFREG | 0o600)
        withExtendedLifetime(second) {}
    }

    @Test func `A symbolic link and its target share one lock`() throws {
        try file.save([])
        #expect(symlink("accounts", "\(folder.path)/link") == 0)
        let first = try lock()
        #expect(code { _ = try lock(AccountFile(path: "\(folder.path)/link")) } == .inUse)
        withExtendedLifetime(first) {}
    }

    @Test func `An account file that others can read is made private`() throws {
        try file.save([])
        #expect(chmod(file.path, 0o644) == 0)
        _ = try lock()
        #expect(try folder.mode(of: "accounts") == S_IFREG | 0o600)
    }

    @Test(arguments: [0o770, 0o707, 0o1777] as [mode_t])
    func `A folder that others may write to is refused`(mode: mode_t) throws {
        #expect(chmod(folder.path, mode) == 0)
        let error = #expect(throws: AccountsError.self) { try lock() }
        #expect(error?.code == .unprotected)
        #expect(error?.message.contains("chmod go-w \(folder.path)") == true)
        #expect(try folder.contents().isEmpty)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `A file, lock file or folder of another user is refused`() throws {
        try file.save([])
        #expect(chown(file.path, 65534, 65534) == 0)
        #expect(code { _ = try lock() } == .unprotected)
        #expect(chown(file.path, 0, 0) == 0)
        #expect(chown("\(file.path).lock", 65534, 65534) == 0)
        #expect(code { _ = try lock() } == .unprotected)
        #expect(chown("\(file.path).lock", 0, 0) == 0)
        #expect(chown(folder.path, 65534, 65534) == 0)
        #expect(code { _ = try lock() } == .unprotected)
    }

    @Test func `Nothing is locked next to a file of another kind or in a missing folder`() throws {
        try folder.write([1, 2, 3], to: "other")
        #expect(code { _ = try lock(AccountFile(path: "\(folder.path)/other")) } == .notOurFile)
        #expect(code { _ = try lock(AccountFile(path: "\(folder.path)/none/accounts")) } == .unwritable)
        #expect(try folder.contents() == ["other"])
    }

    @Test func `A lock file that is a symbolic link is not followed`() throws {
        #expect(symlink("elsewhere", "\(file.path).lock") == 0)
        #expect(code { _ = try lock() } == .unwritable)
        #expect(try folder.contents() == ["accounts.lock"])
    }

    // MARK: - The standard place

    @Test(
        arguments: [
            (["XDG_STATE_HOME": "/state", "HOME": "/home/ada"], "/state/scenebus/accounts"),
            (["HOME": "/home/ada"], "/home/ada/.local/state/scenebus/accounts"),
            (["XDG_STATE_HOME": "relative", "HOME": "/home/ada"], "/home/ada/.local/state/scenebus/accounts"),
            (["XDG_STATE_HOME": "", "HOME": ""], "/home/entry/.local/state/scenebus/accounts"),
            ([:], "/home/entry/.local/state/scenebus/accounts"),
        ] as [([String: String], String)])
    func `The standard file is in the user's own state folder`(environment: [String: String], path: String) throws {
        #expect(try AccountFile.standardPath(environment: { environment[$0] }, home: { "/home/entry" }) == path)
    }

    @Test(arguments: [nil, "", "relative"])
    func `Without a home folder there is no standard file, and the error names the variable to set`(home: String?) {
        let error = #expect(throws: AccountsError.self) {
            try AccountFile.standardPath(environment: { _ in nil }, home: { home })
        }
        #expect(error?.code == .noFolder)
        #expect(error?.message.contains("XDG_STATE_HOME") == true)
    }

    @Test func `The standard folder is created private, and made private if it exists`() throws {
        let path = "\(folder.path)/state/scenebus"
        defer { for name in [path, "\(folder.path)/state"] { rmdir(name) } }
        try AccountFile.makeFolder(path)
        #expect(try folder.mode(of: "state") == S_IFDIR | 0o700)
        #expect(try folder.mode(of: "state/scenebus") == S_IFDIR | 0o700)
        #expect(chmod(path, 0o755) == 0)
        try AccountFile.makeFolder(path)
        #expect(try folder.mode(of: "state/scenebus") == S_IFDIR | 0o700)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give folders away"))
    func `A standard folder of another user is refused`() throws {
        #expect(chown(folder.path, 65534, 65534) == 0)
        #expect(code { try AccountFile.makeFolder(folder.path) } == .unprotected)
    }

    @Test func `A file in the place of the standard folder is refused`() throws {
        try folder.write([1], to: "plain")
        #expect(code { try AccountFile.makeFolder("\(folder.path)/plain") } == .unwritable)
        #expect(code { try AccountFile.makeFolder("\(folder.path)/plain/scenebus") } == .unwritable)
    }
}
