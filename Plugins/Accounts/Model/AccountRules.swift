/// The rules for names and passwords.
enum AccountRules {
    static let nameLength = 1...64
    static let displayNameLength = 1...256
    static let passwordLength = 8...1024

    static func isValidName(_ name: String) -> Bool {
        nameLength.contains(name.utf8.count) && name.utf8.allSatisfy(isNameByte)
    }

    static func checkName(_ name: String) throws(AccountsError) {
        guard isValidName(name) else {
            throw AccountsError(
                .invalidName,
                "The user name must have \(nameLength.lowerBound) to \(nameLength.upperBound) characters, "
                    + "only the letters a-z and A-Z, digits and . _ -: choose another one.")
        }
    }

    static func isValidDisplayName(_ name: String) -> Bool {
        displayNameLength.contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    static func checkDisplayName(_ name: String) throws(AccountsError) {
        guard isValidDisplayName(name) else {
            throw AccountsError(
                .invalidDisplayName,
                "The display name must have \(displayNameLength.lowerBound) to \(displayNameLength.upperBound) bytes "
                    + "of UTF-8, without control characters such as tabs and line breaks: choose another one.")
        }
    }

    static func checkPassword(_ password: String) throws(AccountsError) {
        let length = password.utf8.count
        guard length >= passwordLength.lowerBound else {
            throw AccountsError(
                .weakPassword,
                "The password has \(length) bytes; it needs at least \(passwordLength.lowerBound): "
                    + "choose a longer one.")
        }
        guard !hasNull(password) else {
            throw AccountsError(.weakPassword, "The password contains a null character: choose one without it.")
        }
        guard length <= passwordLength.upperBound else {
            throw AccountsError(
                .weakPassword,
                "The password has \(length) bytes; it may have at most \(passwordLength.upperBound): "
                    + "choose a shorter one.")
        }
    }

    /// scrypt can't distinguish "x" from "x" followed by null characters, because HMAC pads its key with zeros.
    static func hasNull(_ password: String) -> Bool {
        password.utf8.contains(0)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default:
            false
        }
    }
}
