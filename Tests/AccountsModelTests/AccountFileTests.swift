import TestKit
import Glibc
import Testing

@testable import AccountsModel

@Suite(.timeLimit(.minutes(5)))
struct AccountFileTests {
    private let folder: TemporaryFolder
    private var file: AccountFile { AccountFile(path: "\(folder.path)/accounts") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func table() throws -> AccountTable {
        var table = try AccountTable(hashing: .cheap())
        try table.add("anna", password: "correct horse", displayName: "Anna")
        return table
    }

    private func loadingCode(_ file: AccountFile) -> AccountsError.Code? {
        code { _ = try file.load() }
    }

    private func savingCode(_ file: AccountFile) throws -> AccountsError.Code? {
        let records = try table().records
        return code { try file.save(records) }
    }

    @Test func `An account can be added, saved, loaded, changed and removed`() throws {
        #expect(loadingCode(file) == .missingFile)
        var table = try table()
        try file.save(table.records)
        table = try AccountTable(records: file.load(), hashing: .cheap())
        #expect(try table.verify("anna", password: "correct horse").displayName == "Anna")
        try table.add("bob", password: "bob's password", displayName: "Bob")
        try table.changePassword(of: "anna", to: "battery staple")
        try file.save(table.records)
        table = try AccountTable(records: file.load(), hashing: .cheap())
        #expect(try table.verify("anna", password: "battery staple").userName == "anna")
        #expect(try table.verify("bob", password: "bob's password").userName == "bob")
        try table.remove("anna")
        try file.save(table.records)
        #expect(try file.load().map(\.userName) == ["bob"])
        #expect(try folder.contents() == ["accounts"])
    }

    @Test func `A saved file is readable by its owner only, whatever its mode was before`() throws {
        try file.save(table().records)
        #expect(try folder.mode(of: "accounts") == S_IFREG | 0o600)
        #expect(chmod(file.path, 0o644) == 0)
        try file.save(table().records)
        #expect(try folder.mode(of: "accounts") == S_IFREG | 0o600)
    }

    @Test func `A file that isn't a complete account file is never overwritten`() throws {
        let good = try AccountFileFormat.encode(table().records)
        var flipped = good
        flipped[30] ^= 1
        let cases: [(bytes: [UInt8], code: AccountsError.Code)] = [
            (Array("scenebus-accounts 3\nfrom the future\n".utf8), .otherVersion(3)),
            (Array(good.dropLast(10)), .cutShort),
            ([], .cutShort),
            (flipped, .damaged),
            (Array("root:x:0:0\n".utf8), .notOurFile),
            ([0xff, 0x00, 0xfe], .notOurFile),
        ]
        for (bytes, code) in cases {
            try folder.write(bytes, to: "accounts")
            #expect(loadingCode(file) == code)
            #expect(try savingCode(file) == code)
            #expect(try folder.bytes(of: "accounts") == bytes)
            #expect(try folder.contents() == ["accounts"])
        }
    }

    @Test func `A folder, a pipe, a device and a huge file are refused as another kind of file`() throws {
        #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        try folder.write([], to: "huge")
        #expect(truncate("\(folder.path)/huge", off_t(AccountFile.maximumBytes + 1)) == 0)
        for path in [folder.path, "\(folder.path)/pipe", "/dev/null", "/dev/zero", "\(folder.path)/huge"] {
            #expect(loadingCode(AccountFile(path: path)) == .notOurFile, "\(path)")
            #expect(try savingCode(AccountFile(path: path)) == .notOurFile, "\(path)")
        }
        #expect(try folder.contents() == ["huge", "pipe"])
    }

    @Test func `A path that leads through a file can't be read`() throws {
        try folder.write([1], to: "plain")
        let file = AccountFile(path: "\(folder.path)/plain/accounts")
        #expect(loadingCode(file) == .unreadable)
        #expect(try savingCode(file) == .unreadable)
    }

    @Test func `A missing folder can't be written to`() throws {
        let file = AccountFile(path: "\(folder.path)/none/accounts")
        #expect(loadingCode(file) == .missingFile)
        #expect(try savingCode(file) == .unwritable)
        #expect(try folder.contents().isEmpty)
    }

    @Test func `A save that fails at its last step leaves no file behind`() throws {
        // A file cannot replace a folder.
        #expect(mkdir("\(folder.path)/target", 0o700) == 0)
        #expect(code { try file.replace("\(folder.path)/target", with: [1]) } == .unwritable)
        #expect(try folder.contents() == ["target"])
    }

    @Test func `What a process that was killed while it saved has left is gone after the next save`() throws {
        try file.save(table().records)
        // The part of a file, and a link, which must not be followed.
        try folder.write(Array("accounts".utf8), to: "accounts.new")
        try file.save(table().records)
        #expect(try folder.contents() == ["accounts"])
        let other = try folder.write([1, 2, 3], to: "other")
        #expect(symlink(other, "\(folder.path)/accounts.new") == 0)
        try file.save(table().records)
        #expect(try folder.contents() == ["accounts", "other"])
        #expect(try file.load().map(\.userName) == ["anna"])
        var status = stat()
        #expect(lstat(other, &status) == 0 && status.st_size == 3)
    }

    @Test func `A symbolic link stays, and its target is replaced`() throws {
        try AccountFile(path: "\(folder.path)/real").save([])
        #expect(symlink("real", file.path) == 0)
        try file.save(table().records)
        #expect(try folder.mode(of: "accounts") & S_IFMT == S_IFLNK)
        #expect(try AccountFile(path: "\(folder.path)/real").load().map(\.userName) == ["anna"])
        #expect(try folder.contents() == ["accounts", "real"])
    }

    @Test func `A full table fits into a file that can be loaded`() throws {
        let hashing = PasswordHashing.scrypt(try ScryptParameters(costExponent: 15, blockSize: 16, parallelism: 16))
        let records = (0..<AccountTable.maximumAccounts).map { number in
            AccountRecord(
                userName: String("u\(number)".padded(to: 64)), displayName: String(repeating: "d", count: 256),
                salt: .init(repeating: 1, count: 16), hashing: hashing, hash: .init(repeating: 2, count: 32))
        }
        try file.save(records)
        #expect(try file.load() == records)
    }
}

extension String {
    fileprivate func padded(to length: Int) -> String { self + String(repeating: "x", count: length - count) }
}
