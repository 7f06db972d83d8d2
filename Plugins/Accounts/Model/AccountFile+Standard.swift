import Glibc

extension AccountFile {
    /// The account file of this user: `scenebus/accounts` in the user's state folder.
    ///
    /// Creates the folder if it does not exist, and restricts it to this user (mode 0700).
    ///
    /// - Throws: `noFolder` when the state folder is unknown; `unprotected` when another user owns the folder;
    ///   `unwritable`.
    public static func standard() throws(AccountsError) -> AccountFile {
        let path = try standardPath(
            environment: { getenv($0).map { String(cString: $0) } }, home: homeFolder)
        try makeFolder(folder(of: path))
        return AccountFile(path: path)
    }

    /// The path of the account file. Never in a folder that users share, where another user could create it first.
    ///
    /// - Parameter home: Returns the home folder in the user's entry of the password database.
    static func standardPath(
        environment: (String) -> String?, home: () -> String?
    ) throws(AccountsError) -> String {
        // The XDG Base Directory Specification requires programs to ignore relative paths.
        func absolute(_ path: String?) -> String? { path.flatMap { $0.hasPrefix("/") ? $0 : nil } }
        if let state = absolute(environment("XDG_STATE_HOME")) { return "\(state)/scenebus/accounts" }
        guard let home = absolute(environment("HOME")) ?? absolute(home()) else {
            throw AccountsError(
                .noFolder,
                "There is no folder for the account file because this user has no home folder: set XDG_STATE_HOME or "
                    + "HOME to an absolute path, or name a file with 'scenebus host --configure accounts.file=PATH'.")
        }
        return "\(home)/.local/state/scenebus/accounts"
    }

    static func makeFolder(_ folder: String) throws(AccountsError) {
        try makeMissing(folder)
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { throw unusable(folder, text(of: errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unusable(folder, text(of: errno)) }
        guard status.st_uid == geteuid() else {
            throw AccountsError(
                .unprotected,
                "The folder \(folder) belongs to user \(status.st_uid): set XDG_STATE_HOME to a folder that this user "
                    + "owns.")
        }
        guard status.st_mode & 0o077 == 0 || fchmod(descriptor, 0o700) == 0 else {
            throw AccountsError(.unprotected, "The folder \(folder) is open to others: run 'chmod 700 \(folder)'.")
        }
    }

    private static func makeMissing(_ folder: String) throws(AccountsError) {
        guard mkdir(folder, 0o700) != 0, errno != EEXIST else { return }
        guard errno == ENOENT, folder.contains("/") else { throw unusable(folder, text(of: errno)) }
        try makeMissing(Self.folder(of: folder))
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw unusable(folder, text(of: errno)) }
    }

    private static func homeFolder() -> String? {
        var entry = passwd()
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 1 << 14)
        guard getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &result) == 0, result != nil,
            let folder = entry.pw_dir
        else { return nil }
        return String(cString: folder)
    }

    private static func unusable(_ folder: String, _ reason: String) -> AccountsError {
        AccountsError(
            .unwritable,
            "The folder \(folder) of the account file can't be used (\(reason)): set XDG_STATE_HOME to a folder in "
                + "which this program's user may write.")
    }
}
