public import Messaging

/// What a password must be like, for screens that say so before they send it. The accounts plugin checks it again.
public enum PasswordRule {
    /// The rule in a few words, for a hint at a field.
    public static let hint = "At least \(length.lowerBound) characters"
    /// The length of a password, in bytes of UTF-8.
    static let length = 8...1024

    /// Returns why a password cannot be taken, with the way out; `nil` if it can.
    public static func problem(with password: Secret<String>) -> String? {
        let count = password.revealed.utf8.count
        if count == 0 { return "Type a password of at least \(length.lowerBound) characters." }
        if count < length.lowerBound {
            return "This password is too short: it needs at least \(length.lowerBound) characters."
        }
        if count > length.upperBound {
            return "This password is too long: it may have up to \(length.upperBound) bytes."
        }
        return password.revealed.utf8.contains(0) ? "This password has a null character: type it without it." : nil
    }
}
