/// The accounts in memory, with the operations that add, change and verify them.
///
/// The table is a value: a change is visible to others only when its holder publishes the new table, and is durable
/// only when its ``records`` are saved to an ``AccountFile``. Adding an account, changing a password and
/// ``verify(_:password:)`` take a large part of a second of CPU time on purpose. Call them on a copy of the table and
/// off the main actor.
public struct AccountTable: Sendable, CustomStringConvertible, CustomReflectable {
    /// The maximum number of accounts in a table.
    public static let maximumAccounts = 10_000

    /// All accounts, ordered by user name.
    public private(set) var records: [AccountRecord]
    /// How new passwords are hashed.
    public let hashing: PasswordHashing

    /// The maximum number of different ways of hashing in a file. Each login computes one hash in each way, so a
    /// tampered file with many ways could overload the machine.
    private static let maximumHashings = 4

    private let decoySecret: [UInt8]

    /// - Parameters:
    ///   - records: The content of an ``AccountFile``; empty at the first start.
    ///   - hashing: How new passwords are hashed.
    /// - Throws: `exists` when two records have the same name, `tooManyAccounts`.
    public init(records: [AccountRecord] = [], hashing: PasswordHashing = .standard) throws(AccountsError) {
        self.records = records.sorted { $0.userName < $1.userName }
        self.hashing = hashing
        decoySecret = Sodium.randomBytes(32)
        guard records.count <= Self.maximumAccounts else { throw Self.tooManyAccounts }
        guard hashings.count <= Self.maximumHashings else { throw Self.tooManyHashings }
        var names = Set<String>()
        for record in records where !names.insert(record.userName.lowercased()).inserted {
            throw Self.exists(record.userName)
        }
    }

    /// The number of accounts, without what the passwords are checked with.
    public var description: String { "\(records.count) accounts" }

    /// The accounts, without the table's secret, for `dump` and for test reports.
    public var customMirror: Mirror { Mirror(self, children: ["records": records]) }

    /// Adds an account.
    ///
    /// - Parameters:
    ///   - userName: 1 to 64 letters (a-z, A-Z), digits and `.` `_` `-`. Logins are case-sensitive.
    ///   - password: 8 to 1,024 bytes of UTF-8 without null characters, compared byte for byte as typed.
    ///   - displayName: 1 to 256 bytes of UTF-8 without control characters.
    /// - Throws: `invalidName`, `invalidDisplayName`, `weakPassword`, `exists`, `tooManyAccounts`,
    ///   `invalidParameters`. The table is unchanged then.
    public mutating func add(
        _ userName: String, password: String, displayName: String
    ) throws(AccountsError) {
        try AccountRules.checkName(userName)
        try AccountRules.checkDisplayName(displayName)
        try AccountRules.checkPassword(password)
        try checkRoom(for: userName)
        try insert(
            AccountRecord(
                userName: userName, displayName: displayName, password: password, hashing: hashing))
    }

    /// Adds an account whose password is already hashed. Other accounts may have been added during the hashing.
    ///
    /// - Throws: `exists`, `tooManyAccounts`. The table is unchanged then.
    mutating func insert(_ record: AccountRecord) throws(AccountsError) {
        try checkRoom(for: record.userName)
        records.insert(record, at: insertionIndex(of: record.userName))
    }

    /// - Throws: `exists`, `tooManyAccounts`.
    func checkRoom(for userName: String) throws(AccountsError) {
        guard records.count < Self.maximumAccounts else { throw Self.tooManyAccounts }
        let lowercased = userName.lowercased()
        if let other = records.first(where: { $0.userName.lowercased() == lowercased }) {
            throw Self.exists(other.userName)
        }
    }

    /// Replaces a record with a newer version of it.
    ///
    /// - Throws: `unknownOrWrongPassword` when the account's password has been changed or the account has been removed
    ///   meanwhile. The table is unchanged then.
    mutating func replace(_ seen: AccountRecord, with record: AccountRecord) throws(AccountsError) {
        guard seen.userName == record.userName, let index = index(of: seen.userName), records[index] == seen else {
            throw Self.unknownOrWrongPassword
        }
        records[index] = record
    }

    /// The account with exactly this name.
    public func record(of userName: String) -> AccountRecord? {
        index(of: userName).map { records[$0] }
    }

    /// Sets an account's password, with a new salt and the table's ``hashing``.
    ///
    /// Does not check the old password. When users change their own password, call ``verify(_:password:)`` first.
    ///
    /// - Throws: `unknownAccount`, `weakPassword`, `invalidParameters`. The table is unchanged then.
    public mutating func changePassword(of userName: String, to password: String) throws(AccountsError) {
        guard let index = index(of: userName) else { throw Self.unknownAccount(userName) }
        try AccountRules.checkPassword(password)
        records[index] = try AccountRecord(
            userName: userName, displayName: records[index].displayName, password: password, hashing: hashing)
    }

    /// Removes an account.
    ///
    /// - Throws: `unknownAccount`.
    public mutating func remove(_ userName: String) throws(AccountsError) {
        guard let index = index(of: userName) else { throw Self.unknownAccount(userName) }
        records.remove(at: index)
    }

    /// Checks a login. Does not count failures: ask a ``LoginThrottle`` first.
    ///
    /// An unknown name takes as much time as a wrong password and causes the same error, so that nobody can find out
    /// names by trying.
    ///
    /// - Returns: The account, if the password is correct.
    /// - Throws: `unknownOrWrongPassword`; `invalidParameters` when there is no memory for the hash.
    public func verify(_ userName: String, password: String) throws(AccountsError) -> AccountRecord {
        // No account has a longer password, so returning early does not reveal whether the name exists.
        guard password.utf8.count <= AccountRules.passwordLength.upperBound else {
            throw Self.unknownOrWrongPassword
        }
        let decoy = decoy(for: userName)
        let record = record(of: userName)
        var isRight = false
        // Compute a hash in each of the ways, so that the time reveals neither which one the account uses nor whether
        // the account exists.
        for hashing in hashings {
            let isOwn = record?.hashing == hashing
            let hash = try hashing.hash(password, salt: isOwn ? record?.salt ?? decoy.salt : decoy.salt)
            let matches = Sodium.areEqual(hash, isOwn ? record?.hash ?? decoy.hash : decoy.hash)
            if isOwn { isRight = matches }
        }
        guard let record, isRight, !AccountRules.hasNull(password) else { throw Self.unknownOrWrongPassword }
        return record
    }

    /// The ways in which the passwords of the accounts are hashed; the table's own when there are no accounts.
    var hashings: Set<PasswordHashing> { records.isEmpty ? [hashing] : Set(records.map(\.hashing)) }

    /// What an unknown name is checked against: always the same for the same name.
    private func decoy(for userName: String) -> (salt: [UInt8], hash: [UInt8]) {
        // Bounds the length: a caller could otherwise waste time with very long names, which no account has.
        let name = Array(userName.utf8.prefix(AccountRules.nameLength.upperBound + 1))
        let code = Sodium.authenticationCode(for: name, key: decoySecret)
        return (Array(code.prefix(PasswordHashing.saltBytes)), code)
    }

    private func insertionIndex(of userName: String) -> Int {
        var (low, high) = (0, records.count)
        while low < high {
            let middle = (low + high) / 2
            if records[middle].userName < userName { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func index(of userName: String) -> Int? {
        let index = insertionIndex(of: userName)
        return index < records.count && records[index].userName == userName ? index : nil
    }

    private static let unknownOrWrongPassword = AccountsError(
        .unknownOrWrongPassword, "User name or password is wrong: check both, including upper and lower case.")

    private static let tooManyHashings = AccountsError(
        .invalidParameters,
        "The passwords are hashed in more than \(maximumHashings) ways: restore the account file from a backup.")

    private static let tooManyAccounts = AccountsError(
        .tooManyAccounts, "There can be at most \(maximumAccounts) accounts: remove one first.")

    private static func exists(_ userName: String) -> AccountsError {
        AccountsError(
            .exists,
            "The account '\(userName)' already exists, and names must differ in more than upper and lower case: "
                + "choose another name, or change that account's password.")
    }

    private static func unknownAccount(_ userName: String) -> AccountsError {
        AccountsError(
            .unknownAccount,
            "There is no account '\(userName.prefix(AccountRules.nameLength.upperBound))': check the spelling, "
                + "including upper and lower case, or add it.")
    }
}
