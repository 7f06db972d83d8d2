/// The accounts in memory: who there is, and whether a password is theirs.
///
/// A value: a change takes effect for others only when its holder hands on the new book, and lasts only when its
/// ``records`` are saved to an ``AccountFile``. Adding an account, changing a password and ``verify(_:password:)``
/// take a good part of a second of one core on purpose, so call them on a copy of the book and off the main actor.
public struct AccountBook: Sendable {
    /// The most accounts a book holds.
    public static let maximumAccounts = 10_000

    /// All accounts, ordered by user name.
    public private(set) var records: [AccountRecord]
    /// How new passwords are hashed.
    public let hashing: PasswordHashing

    private let decoySecret: [UInt8]

    /// - Parameters:
    ///   - records: What an ``AccountFile`` held; none for a first start.
    ///   - hashing: How new passwords are hashed.
    /// - Throws: `exists` when two records have the same name, `tooManyAccounts`.
    public init(records: [AccountRecord] = [], hashing: PasswordHashing = .standard) throws(AccountsError) {
        self.records = records.sorted { $0.userName < $1.userName }
        self.hashing = hashing
        decoySecret = Sodium.randomBytes(32)
        guard records.count <= Self.maximumAccounts else { throw Self.tooManyAccounts }
        var names = Set<String>()
        for record in records where !names.insert(record.userName.lowercased()).inserted {
            throw Self.exists(record.userName)
        }
    }

    /// Adds an account.
    ///
    /// - Parameters:
    ///   - userName: 1 to 64 letters (a-z, A-Z), digits and `.` `_` `-`. Logins have to spell it the same way.
    ///   - password: 8 to 1,024 bytes of UTF-8 without null characters, compared byte for byte as typed.
    ///   - displayName: 1 to 256 bytes of UTF-8 without control characters.
    /// - Throws: `invalidName`, `invalidDisplayName`, `weakPassword`, `exists`, `tooManyAccounts`,
    ///   `invalidParameters`. The book is as it was then.
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

    /// Adds an account whose password has been hashed already, perhaps while other accounts were added.
    ///
    /// - Throws: `exists`, `tooManyAccounts`. The book is as it was then.
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

    /// Puts a record in the place of the one that its maker had seen.
    ///
    /// - Throws: `unknownOrWrongPassword` when the account has another password by now, or is gone. The book is as it was
    ///   then.
    mutating func replace(_ seen: AccountRecord, with record: AccountRecord) throws(AccountsError) {
        guard seen.userName == record.userName, let index = index(of: seen.userName), records[index] == seen else {
            throw Self.unknownOrWrongPassword
        }
        records[index] = record
    }

    /// The account of this name, spelled exactly so.
    public func record(of userName: String) -> AccountRecord? {
        index(of: userName).map { records[$0] }
    }

    /// Gives an account a new password, with a new salt, hashed as the book says.
    ///
    /// Asks for no old password, for operators: when users change their own, call ``verify(_:password:)`` first.
    ///
    /// - Throws: `unknownAccount`, `weakPassword`, `invalidParameters`. The book is as it was then.
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

    /// Checks a login. Counts nothing: ask a ``LoginThrottle`` first.
    ///
    /// An unknown name costs as much time as a wrong password and gives the same error, so that names can't be
    /// found out by trying.
    ///
    /// - Returns: The account, when the password is its own.
    /// - Throws: `unknownOrWrongPassword`; `invalidParameters` when there is no memory for the hash.
    public func verify(_ userName: String, password: String) throws(AccountsError) -> AccountRecord {
        // No account has a longer one, so the early answer tells nothing about names.
        guard password.utf8.count <= AccountRules.passwordLength.upperBound else {
            throw Self.unknownOrWrongPassword
        }
        let decoy = decoy(for: userName)
        let record = record(of: userName)
        let hash = try (record?.hashing ?? decoy.hashing).hash(password, salt: record?.salt ?? decoy.salt)
        let matches = Sodium.areEqual(hash, record?.hash ?? decoy.hash)
        guard let record, matches, !AccountRules.hasNull(password) else { throw Self.unknownOrWrongPassword }
        return record
    }

    /// What an unknown name is checked against. It is hashed as one of the accounts, always the same one
    /// for the same name: where accounts differ in cost, unknown names differ in the same way.
    func decoy(for userName: String) -> (hashing: PasswordHashing, salt: [UInt8], hash: [UInt8]) {
        // The whole name costs time to digest that a caller could use to slow us down; no account has a longer one.
        let name = Array(userName.utf8.prefix(AccountRules.nameLength.upperBound + 1))
        let code = Sodium.authenticationCode(for: name, key: decoySecret)
        let number = code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        let hashing = records.isEmpty ? hashing : records[Int(number % UInt64(records.count))].hashing
        return (hashing, Array(code.prefix(PasswordHashing.saltBytes)), code)
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
        .unknownOrWrongPassword, "User name or password is wrong: check both, upper and lower case too.")

    private static let tooManyAccounts = AccountsError(
        .tooManyAccounts, "There can be at most \(maximumAccounts) accounts: remove one first.")

    private static func exists(_ userName: String) -> AccountsError {
        AccountsError(
            .exists,
            "There is an account '\(userName)' already, and names have to differ in more than upper and lower case: "
                + "choose another name, or change that account's password.")
    }

    private static func unknownAccount(_ userName: String) -> AccountsError {
        AccountsError(
            .unknownAccount,
            "There is no account '\(userName.prefix(AccountRules.nameLength.upperBound))': check the spelling, "
                + "upper and lower case too, or add it.")
    }
}
