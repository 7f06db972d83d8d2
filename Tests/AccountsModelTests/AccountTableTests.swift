import Glibc
import Testing

@testable import AccountsModel

@Suite(.timeLimit(.minutes(5)))
struct AccountTableTests {
    private let password = "correct horse"

    private func table() throws -> AccountTable {
        var table = try AccountTable(hashing: .cheap())
        try table.add("anna", password: password, displayName: "Anna Ångström")
        try table.add("Bob.2", password: "bob's password", displayName: "Bob")
        return table
    }

    @Test func `The right password returns the account`() throws {
        let table = try table()
        let anna = try table.verify("anna", password: password)
        #expect(anna.userName == "anna")
        #expect(anna.displayName == "Anna Ångström")
        #expect(try table.verify("Bob.2", password: "bob's password").userName == "Bob.2")
        #expect(table.records.map(\.userName) == ["Bob.2", "anna"])
    }

    @Test(arguments: [
        ("anna", "correct horsf"), ("anna", "correct hors"), ("anna", "correct horse "), ("anna", ""),
        ("anna", "bob's password"), ("anna", "correct horse\0"), ("Anna", "correct horse"), ("bob.2", "bob's password"),
        ("carl", "correct horse"), ("", "correct horse"), ("", ""), ("an\0na", "correct horse"),
        ("anna", String(repeating: "x", count: 5000)), (String(repeating: "x", count: 100_000), "correct horse"),
    ])
    func `A wrong password and an unknown name give the same error`(user: String, password: String) throws {
        let table = try table()
        let error = #expect(throws: AccountsError.self) { _ = try table.verify(user, password: password) }
        let known = #expect(throws: AccountsError.self) { _ = try table.verify("anna", password: "wrong password") }
        #expect(error?.code == .unknownOrWrongPassword)
        #expect(error == known)
    }

    @Test func `An empty table refuses every login`() throws {
        let table = try AccountTable(hashing: .cheap())
        #expect(code { _ = try table.verify("anna", password: password) } == .unknownOrWrongPassword)
    }

    @Test(arguments: ["a", "Z", "0", "a.b_c-d", "..", "-x", String(repeating: "n", count: 64)])
    func `Valid names are accepted`(name: String) throws {
        var table = try AccountTable(hashing: .cheap())
        try table.add(name, password: password, displayName: "x")
        #expect(try table.verify(name, password: password).userName == name)
    }

    @Test(arguments: [
        "", " ", "a b", "a\tb", "a\nb", "a/b", "ä", "a\u{301}", "а", "a:b", "a\0", String(repeating: "n", count: 65),
    ])
    func `Invalid names are refused`(name: String) throws {
        var table = try AccountTable(hashing: .cheap())
        let code = code { try table.add(name, password: password, displayName: "x") }
        #expect(code == .invalidName)
        #expect(table.records.isEmpty)
    }

    @Test(arguments: ["", "a\tb", "a\nb", "a\r\nb", "a\u{85}b", "\u{1b}[2J", String(repeating: "n", count: 257)])
    func `Invalid display names are refused`(name: String) throws {
        var table = try AccountTable(hashing: .cheap())
        let code = code { try table.add("anna", password: password, displayName: name) }
        #expect(code == .invalidDisplayName)
        #expect(table.records.isEmpty)
    }

    @Test(arguments: [
        ("", false), ("1234567", false), ("12345678", true), ("ääää", true), ("äää", false),
        (String(repeating: "p", count: 1024), true), (String(repeating: "p", count: 1025), false),
        (String(repeating: "ä", count: 512), true), (String(repeating: "ä", count: 513), false),
        ("\0\0\0\0\0\0\0\0", false), ("12345678\0", false), ("1234\u{1}\n78", true),
    ])
    func `A password has 8 to 1024 bytes and contains no null byte`(candidate: String, isValid: Bool) throws {
        var table = try table()
        let before = table.records
        let adding = code {
            try table.add("carl", password: candidate, displayName: "Carl")
        }
        #expect(adding == (isValid ? nil : .weakPassword))
        let changing = code { try table.changePassword(of: "anna", to: candidate) }
        #expect(changing == (isValid ? nil : .weakPassword))
        if isValid {
            #expect(try table.verify("carl", password: candidate).userName == "carl")
            #expect(try table.verify("anna", password: candidate).userName == "anna")
        } else {
            #expect(table.records == before)
        }
    }

    @Test(arguments: ["anna", "Anna", "ANNA", "bob.2"])
    func `A name can be used only once, regardless of case`(name: String) throws {
        var table = try table()
        let before = table.records
        let error = #expect(throws: AccountsError.self) {
            try table.add(name, password: "another password", displayName: "x")
        }
        #expect(error?.code == .exists)
        #expect(error?.message.contains(name == "bob.2" ? "'Bob.2'" : "'anna'") == true)
        #expect(table.records == before)
    }

    @Test func `A changed password replaces the old one and gets a new salt`() throws {
        var table = try table()
        let before = try table.verify("anna", password: password)
        try table.changePassword(of: "anna", to: "a new password")
        #expect(code { _ = try table.verify("anna", password: password) } == .unknownOrWrongPassword)
        let after = try table.verify("anna", password: "a new password")
        #expect(after.salt != before.salt)
        #expect(after.displayName == before.displayName)
    }

    @Test func `A changed password is hashed with the table's parameters`() throws {
        var table = try AccountTable(records: table().records, hashing: .cheap(passes: 4))
        #expect(try table.verify("anna", password: password).hashing == .cheap())
        try table.changePassword(of: "anna", to: password)
        #expect(try table.verify("anna", password: password).hashing == .cheap(passes: 4))
        #expect(try table.verify("Bob.2", password: "bob's password").hashing == .cheap())
    }

    @Test func `Equal passwords get different salts and hashes`() throws {
        var table = try table()
        try table.add("carl", password: password, displayName: "Carl")
        let (anna, carl) = try (table.verify("anna", password: password), table.verify("carl", password: password))
        #expect(anna.salt != carl.salt)
        #expect(anna.hash != carl.hash)
        #expect(anna.salt.count == 16)
        #expect(anna.hash.count == 32)
    }

    @Test func `A removed account can't log in and can be added again`() throws {
        var table = try table()
        try table.remove("anna")
        #expect(table.records.map(\.userName) == ["Bob.2"])
        #expect(code { _ = try table.verify("anna", password: password) } == .unknownOrWrongPassword)
        try table.add("anna", password: "a new password", displayName: "Anna")
        #expect(try table.verify("anna", password: "a new password").userName == "anna")
    }

    @Test func `Removing an unknown account or changing its password is an error`() throws {
        var table = try table()
        #expect(code { try table.remove("Anna") } == .unknownAccount)
        #expect(code { try table.changePassword(of: "x", to: password) } == .unknownAccount)
        #expect(table.records.count == 2)
    }

    @Test func `Records with the same name are refused, regardless of case`() throws {
        let anna = try table().records[1]
        let twin = AccountRecord(
            userName: "ANNA", displayName: "x", salt: anna.salt, hashing: anna.hashing, hash: anna.hash)
        for records in [[anna, anna], [anna, twin]] {
            #expect(code { _ = try AccountTable(records: records) } == .exists)
        }
    }

    @Test func `The number of accounts is bounded`() throws {
        let hashing = try PasswordHashing.cheap()
        let records = (0..<AccountTable.maximumAccounts).map {
            AccountRecord(
                userName: "u\($0)", displayName: "x", salt: .init(repeating: 1, count: 16), hashing: hashing,
                hash: .init(repeating: 2, count: 32))
        }
        var table = try AccountTable(records: records, hashing: hashing)
        #expect(
            code {
                try table.add("anna", password: password, displayName: "x")
            } == .tooManyAccounts)
        #expect(
            code {
                _ = try AccountTable(records: records + [self.table().records[0]])
            } == .tooManyAccounts)
        try table.remove("u5000")
        try table.add("anna", password: password, displayName: "x")
        #expect(table.records.map(\.userName) == table.records.map(\.userName).sorted())
    }

    @Test func `Each login is hashed in every way that the accounts are, so the time tells nothing about a name`()
        throws
    {
        var mixed = try AccountTable(
            records: [
                AccountRecord(
                    userName: "old", displayName: "x", password: password,
                    hashing: .scrypt(ScryptParameters(costExponent: 14, blockSize: 8, parallelism: 1))),
                AccountRecord(
                    userName: "new", displayName: "x", password: password,
                    hashing: .argon2id(Argon2Parameters(passes: 1, kibibytes: 4096))),
            ])
        #expect(mixed.hashings.count == 2)
        let times = ["old", "new", "unknown"].map { name in
            let table = mixed
            return processorTime {
                #expect(code { _ = try table.verify(name, password: "wrong one") } == .unknownOrWrongPassword)
            }
        }
        let (least, most) = (try #require(times.min()), try #require(times.max()))
        #expect(most / least < 2, "\(times)")
        #expect(try mixed.verify("old", password: password).userName == "old")
        #expect(try mixed.verify("new", password: password).userName == "new")
        try mixed.remove("old")
        #expect(mixed.hashings.count == 1)
        #expect(try AccountTable(hashing: .cheap()).hashings == [.cheap()])
    }

    @Test func `Passwords that are hashed in more than four ways are refused`() throws {
        let records = try (1...5).map {
            try AccountRecord(userName: "u\($0)", displayName: "x", password: password, hashing: .cheap(passes: $0))
        }
        #expect(throws: Never.self) { try AccountTable(records: Array(records.dropLast())) }
        #expect(code { _ = try AccountTable(records: records) } == .invalidParameters)
    }

    @Test func `A table's description contains neither its secret nor a hash`() throws {
        let table = try table()
        var dumped = ""
        dump(table, to: &dumped)
        for text in ["\(table)", String(reflecting: table), dumped] {
            #expect(!text.contains("ecret") && !text.contains("hash"))
        }
    }

    @Test func `Neither a description nor a dump shows the salt or the hash`() throws {
        let anna = try table().verify("anna", password: password)
        var dumped = ""
        dump(anna, to: &dumped)
        for text in ["\(anna)", String(reflecting: anna), dumped] {
            #expect(text.contains("anna"))
            #expect(!text.contains("hash") && !text.contains("salt") && !text.contains("\(anna.hash[0]), "))
        }
    }

    @Test func `Hashing with the standard parameters is slow, and equally slow for unknown names`() throws {
        var table = try AccountTable()
        try table.add("anna", password: password, displayName: "Anna")
        let right = processorTime { #expect(code { _ = try table.verify("anna", password: password) } == nil) }
        let wrong = processorTime {
            #expect(code { _ = try table.verify("anna", password: "wrong one") } == .unknownOrWrongPassword)
        }
        let unknown = processorTime {
            #expect(code { _ = try table.verify("carl", password: "wrong one") } == .unknownOrWrongPassword)
        }
        #expect(right > 0.02)
        #expect((0.5...2).contains(unknown / wrong))
    }

    /// The least CPU seconds of three runs on this thread, because other work on the machine can slow a single run.
    private func processorTime(of body: () -> Void) -> Double {
        let times = (0..<3).map { _ in
            var (start, end) = (timespec(), timespec())
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
            body()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
            return Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1e9
        }
        return times.min() ?? 0
    }
}
