import Testing

@testable import AccountsModel

@Suite(.timeLimit(.minutes(5)))
struct AccountFileFormatTests {
    private func records() throws -> [AccountRecord] {
        var table = try AccountTable(hashing: .cheap())
        try table.add("anna", password: "correct horse", displayName: "Anna Ångström 👩‍🚒")
        try table.add("bob", password: "bob's password", displayName: "\u{301}, and a , comma")
        return table.records
    }

    private func decodingCode(_ bytes: [UInt8]) -> AccountsError.Code? {
        code { _ = try AccountFileFormat.decode(bytes, path: "/some/file") }
    }

    /// Returns a file whose last line is valid for any lines before it.
    private func sealed(_ body: String, count: Int? = nil) -> [UInt8] {
        let digest = Sodium.sha256(Array(body.utf8)).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        let count = count ?? body.utf8.count { $0 == UInt8(ascii: "\n") } - 1
        return Array((body + "end \(count) \(digest.joined())\n").utf8)
    }

    @Test func `Encoded records decode to equal records`() throws {
        let records = try records()
        #expect(try AccountFileFormat.decode(AccountFileFormat.encode(records), path: "") == records)
        #expect(try AccountFileFormat.decode(AccountFileFormat.encode([]), path: "").isEmpty)
    }

    private static let saltText = "000102030405060708090a0b0c0d0e0f"
    private static let hashText = "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"

    private func anna(_ hashing: PasswordHashing) -> AccountRecord {
        AccountRecord(
            userName: "anna", displayName: "Anna Å", salt: Array(0..<16), hashing: hashing, hash: Array(224...255))
    }

    @Test func `The file format stays compatible with existing files`() throws {
        let records = [
            anna(.argon2id(try Argon2Parameters(passes: 3, kibibytes: 65_536))),
            anna(.scrypt(try ScryptParameters(costExponent: 15, blockSize: 8, parallelism: 3))),
        ]
        let body =
            "scenebus-accounts 2\naccount\tanna\targon2id\t3,65536\t\(Self.saltText)\t\(Self.hashText)\tAnna Å\n"
            + "account\tanna\tscrypt\t15,8,3\t\(Self.saltText)\t\(Self.hashText)\tAnna Å\n"
        #expect(AccountFileFormat.encode(records) == sealed(body))
        #expect(try AccountFileFormat.decode(sealed(body), path: "") == records)
    }

    @Test func `A file of version 1 can be read`() throws {
        let body =
            "scenebus-accounts 1\naccount\tanna\tscrypt\t15,8,3\t\(Self.saltText)\t\(Self.hashText)\tAnna Å\n"
        let record = anna(.scrypt(try ScryptParameters(costExponent: 15, blockSize: 8, parallelism: 3)))
        #expect(try AccountFileFormat.decode(sealed(body), path: "") == [record])
    }

    @Test func `A file cut at any byte is reported as cut short`() throws {
        let bytes = try AccountFileFormat.encode(records())
        for length in 0..<bytes.count {
            #expect(decodingCode(Array(bytes[..<length])) == .cutShort, "cut to \(length) bytes")
        }
    }

    @Test func `A file with any byte changed is refused`() throws {
        let bytes = try AccountFileFormat.encode(records())
        for index in bytes.indices {
            for flip in [1, 0x20, 0x80] as [UInt8] {
                var changed = bytes
                changed[index] ^= flip
                #expect(decodingCode(changed) != nil, "byte \(index) changed by \(flip)")
            }
        }
    }

    @Test func `Added, removed or swapped lines are detected`() throws {
        let lines = try String(decoding: AccountFileFormat.encode(records()), as: UTF8.self)
            .split(separator: "\n").map { $0 + "\n" }
        #expect(lines.count == 4)
        for order in [[0, 1, 3], [0, 2, 1, 3], [0, 1, 1, 2, 3], [0, 3]] {
            let text = order.map { lines[$0] }.joined()
            #expect(decodingCode(Array(text.utf8)) == .damaged, "lines \(order)")
        }
        #expect(decodingCode(Array((lines.joined() + lines[3]).utf8)) == .damaged)
        #expect(decodingCode(Array((lines.joined() + "\n").utf8)) == .cutShort)
    }

    @Test(arguments: [("0", 0), ("3", 3), ("10", 10), ("999999999", 999_999_999)])
    func `A file of another version is refused with its version number`(text: String, version: Int) {
        #expect(decodingCode(Array("scenebus-accounts \(text)\nwhatever".utf8)) == .otherVersion(version))
    }

    @Test(arguments: [
        "{\"version\":1}", "root:x:0:0::/root:/bin/sh\n", "\0", "\n", "scenebus-account 1\n", "Scenebus-accounts 1\n",
        "scenebus-accounts x\n", "scenebus-accounts \n", "scenebus-accounts 1 \n", "scenebus-accounts 1\r\n",
        "scenebus-accounts -1\n", "scenebus-accounts 99999999999999999999\n", "scenebus-accounts 1234567890",
    ])
    func `A file of another kind is refused`(text: String) {
        #expect(decodingCode(Array(text.utf8)) == .notOurFile)
    }

    @Test func `A file that isn't UTF-8 is reported as another kind of file or as damaged`() {
        #expect(decodingCode([0xff, 0xfe, 0x00]) == .notOurFile)
        let body = Array("scenebus-accounts 1\n".utf8) + [0xff, 0x0a]
        let digest = Sodium.sha256(body).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(decodingCode(body + Array("end 1 \(digest)\n".utf8)) == .damaged)
    }

    private static let salt = String(repeating: "0a", count: 16)
    private static let hash = String(repeating: "0b", count: 32)

    @Test(arguments: [
        "", "account", "account\tanna\tscrypt\t1,8,1\t\(salt)\t\(hash)",
        "other\tanna\tscrypt\t1,8,1\t\(salt)\t\(hash)\tA",
        "account\tan na\tscrypt\t1,8,1\t\(salt)\t\(hash)\tA", "account\tanna\tplain\t1,8,1\t\(salt)\t\(hash)\tA",
        "account\tanna\tscrypt\t1,8\t\(salt)\t\(hash)\tA", "account\tanna\tscrypt\t1,8,x\t\(salt)\t\(hash)\tA",
        "account\tanna\tscrypt\t20,16,16\t\(salt)\t\(hash)\tA", "account\tanna\tscrypt\t99,8,1\t\(salt)\t\(hash)\tA",
        "account\tanna\tscrypt\t99999999999999999999,8,1\t\(salt)\t\(hash)\tA",
        "account\tanna\tscrypt\t1,8,1\t\t\(hash)\tA", "account\tanna\tscrypt\t1,8,1\t\(salt)0\t\(hash)\tA",
        "account\tanna\tscrypt\t1,8,1\t\(salt)\t\(hash)00\tA", "account\tanna\tscrypt\t1,8,1\t\(salt)\tzz\tA",
        "account\tanna\tscrypt\t1,8,1\t\(salt)\t\(hash)\t", "account\tanna\tscrypt\t1,8,1\t\(salt)\t\(hash)\tA\tB",
        "account\tanna\tscrypt\t1,8,1\t\(salt)\t\(hash)\tA\u{1b}", "account\tanna\targon2id\t3\t\(salt)\t\(hash)\tA",
        "account\tanna\targon2id\t3,8,1\t\(salt)\t\(hash)\tA", "account\tanna\targon2id\t99,8\t\(salt)\t\(hash)\tA",
        "account\tanna\targon2id\t3,x\t\(salt)\t\(hash)\tA", "account\tanna\targon2id\t3,99999999\t\(salt)\t\(hash)\tA",
    ])
    func `An invalid account line is reported as damage even if the digest matches`(line: String) {
        #expect(decodingCode(sealed("scenebus-accounts 1\n\(line)\n")) == .damaged)
    }

    @Test func `A wrong count is reported as damage`() throws {
        let line = "account\tanna\tscrypt\t1,8,1\t\(Self.salt)\t\(Self.hash)\tA\n"
        #expect(decodingCode(sealed("scenebus-accounts 1\n" + line)) == nil)
        #expect(decodingCode(sealed("scenebus-accounts 1\n" + line, count: 2)) == .damaged)
    }

    @Test func `The error message names the file and its version`() throws {
        let error = #expect(throws: AccountsError.self) {
            try AccountFileFormat.decode(Array("scenebus-accounts 7\n".utf8), path: "/some/file")
        }
        #expect(error?.message.contains("/some/file") == true)
        #expect(error?.message.contains("version 7") == true)
        #expect(error.map { "\($0)" } == error?.message)
    }
}
