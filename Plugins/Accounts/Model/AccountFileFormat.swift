/// The text format of an account file, version 2. Lines end with a line feed; fields are separated by tabs:
///
///     scenebus-accounts 2
///     account  USER  argon2id  PASSES,KIBIBYTES                      SALT-HEX  HASH-HEX  DISPLAY NAME
///     account  USER  scrypt    COST-EXPONENT,BLOCK-SIZE,PARALLELISM  SALT-HEX  HASH-HEX  DISPLAY NAME
///     end COUNT SHA256-HEX-OF-ALL-LINES-BEFORE
///
/// The last line reveals a truncated file and accidental changes. It does not protect against someone who can write the
/// file.
enum AccountFileFormat {
    static let version = 2
    /// The versions that can be read. Version 1 had scrypt only.
    private static let readable = 1...version
    private static let magic = "scenebus-accounts "
    private static let newline = UInt8(ascii: "\n")

    static func encode(_ records: [AccountRecord]) -> [UInt8] {
        var text = "\(magic)\(version)\n"
        for record in records {
            let (function, parameters) = fields(of: record.hashing)
            let fields = [
                "account", record.userName, function, parameters, hex(record.salt), hex(record.hash),
                record.displayName,
            ]
            text += fields.joined(separator: "\t") + "\n"
        }
        let body = Array(text.utf8)
        return body + Array(end(of: body, count: records.count).utf8)
    }

    /// Parses the content of an account file.
    /// - Parameter path: The path for the error messages.
    /// - Throws: `cutShort`, `notOurFile`, `otherVersion`, `damaged`.
    static func decode(_ bytes: [UInt8], path: String) throws(AccountsError) -> [AccountRecord] {
        try checkHeader(bytes, path: path)
        guard bytes.last == newline else { throw cutShort(path) }
        let endStart = bytes.dropLast().lastIndex(of: newline).map { $0 + 1 } ?? 0
        let end = bytes[endStart...]
        guard end.starts(with: "end ".utf8) else { throw cutShort(path) }
        let body = Array(bytes[..<endStart])
        let count = body.count { $0 == newline } - 1
        guard end.elementsEqual(Self.end(of: body, count: count).utf8) else {
            throw damaged(path, "its content doesn't match its last line")
        }
        guard let text = String(validating: body, as: UTF8.self) else { throw damaged(path, "it isn't UTF-8") }
        var records: [AccountRecord] = []
        // Split by Unicode scalars: a Character can combine a line feed with a preceding carriage return.
        let lines = text.unicodeScalars.split(separator: "\n").dropFirst()
        for (index, line) in lines.enumerated() {
            guard let record = record(from: line) else {
                throw damaged(path, "line \(index + 2) isn't an account")
            }
            records.append(record)
        }
        guard records.count == count else { throw damaged(path, "it has empty lines") }
        return records
    }

    private static func checkHeader(_ bytes: [UInt8], path: String) throws(AccountsError) {
        let magic = Array(Self.magic.utf8)
        guard bytes.starts(with: magic) else {
            throw magic.starts(with: bytes) ? cutShort(path) : notOurFile(path)
        }
        // A version is a small number, so the search for the end of the first line is bounded.
        let line = bytes.dropFirst(magic.count).prefix(10)
        let digits = line.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isWholeFile = magic.count + digits.count == bytes.count
        guard !isWholeFile || digits.count == 10 else { throw cutShort(path) }
        guard line.dropFirst(digits.count).first == newline,
            let version = Int(String(decoding: digits, as: UTF8.self))
        else { throw notOurFile(path) }
        guard readable.contains(version) else {
            throw AccountsError(
                .otherVersion(version),
                "The account file \(path) has format version \(version), but this program reads versions up to "
                    + "\(readable.upperBound): use the program that wrote it, or restore an earlier copy of the "
                    + "file.")
        }
    }

    private static func record(from line: Substring.UnicodeScalarView) -> AccountRecord? {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 7, fields[0] == "account", AccountRules.isValidName(fields[1]),
            let hashing = hashing(fields[2], fields[3]),
            let salt = bytes(hex: fields[4]), salt.count == PasswordHashing.saltBytes,
            let hash = bytes(hex: fields[5]), hash.count == PasswordHashing.hashBytes,
            AccountRules.isValidDisplayName(fields[6])
        else { return nil }
        return AccountRecord(
            userName: fields[1], displayName: fields[6], salt: salt, hashing: hashing, hash: hash)
    }

    /// The function's name, and its parameters.
    private static func fields(of hashing: PasswordHashing) -> (String, String) {
        switch hashing {
        case .argon2id(let parameters): ("argon2id", "\(parameters.passes),\(parameters.kibibytes)")
        case .scrypt(let parameters):
            ("scrypt", "\(parameters.costExponent),\(parameters.blockSize),\(parameters.parallelism)")
        }
    }

    private static func hashing(_ function: String, _ parameters: String) -> PasswordHashing? {
        let fields = parameters.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = fields.compactMap { Int($0) }
        guard numbers.count == fields.count else { return nil }
        switch (function, numbers.count) {
        case ("argon2id", 2):
            return (try? Argon2Parameters(passes: numbers[0], kibibytes: numbers[1])).map(PasswordHashing.argon2id)
        case ("scrypt", 3):
            let parameters = try? ScryptParameters(
                costExponent: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
            return parameters.map(PasswordHashing.scrypt)
        default: return nil
        }
    }

    private static func end(of body: [UInt8], count: Int) -> String {
        "end \(count) \(hex(Sodium.sha256(body)))\n"
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func bytes(hex: String) -> [UInt8]? {
        let digits = hex.utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        guard digits.count == hex.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func cutShort(_ path: String) -> AccountsError {
        AccountsError(
            .cutShort,
            "The account file \(path) is truncated: restore it from a backup, or move it away and add the accounts "
                + "again.")
    }

    private static func notOurFile(_ path: String) -> AccountsError {
        AccountsError(
            .notOurFile, "The file \(path) isn't an account file: move it away, or set the path of another file.")
    }

    private static func damaged(_ path: String, _ reason: String) -> AccountsError {
        AccountsError(
            .damaged,
            "The account file \(path) is damaged or was edited (\(reason)): restore it from a backup, or move it "
                + "away and add the accounts again.")
    }
}
