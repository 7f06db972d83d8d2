package import Bus
package import Foundation

/// A line as operators see it, and as they make it.
extension KeyEntry {
    /// Reads a line from its parts, so that it says the same of what is wrong as one of the file.
    package init(
        name: String, role: String, key: String, invites: String? = nil, grants: [String], expires: Date? = nil,
        comment: String? = nil
    ) throws(Invalid) {
        let words = [name, role, key] + (invites.map { ["as=\($0)"] } ?? []) + grants
        for word in words where word.isEmpty || word.contains(where: { $0.isWhitespace || $0 == "#" }) {
            throw Invalid("'\(word)' is empty, or has a space or a '#', which no part of a line may have")
        }
        if let comment, comment.contains(where: \.isNewline) { throw Invalid("a comment is one line") }
        try self.init(line: words.joined(separator: " "))
        // What is given as a grant is none of the line's other fields.
        guard added == nil, self.expires == nil, old == nil, self.invites?.rawValue == invites else {
            throw Invalid("a grant is written as send=NAME, and not as another field of a line")
        }
        (self.expires, self.comment) = (expires, comment)
    }

    package var status: KeyStatus {
        var status = KeyStatus(name: name, role: role.rawValue, key: "\(key)", grants: grants.texts)
        status.invites = invites?.rawValue
        status.oldKey = old.map { "\($0.key)" }
        status.oldUntil = old?.until.timeIntervalSince1970
        status.added = added?.timeIntervalSince1970
        status.expires = expires?.timeIntervalSince1970
        status.comment = comment
        return status
    }
}
