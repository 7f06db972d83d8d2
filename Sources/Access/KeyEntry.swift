import Bus
package import Foundation
package import ZeroMQ

/// A key that a host allows: a line of its ``KeyList``.
package struct KeyEntry: Hashable, Sendable {
    /// The name of the peer with this key. The names of several peers begin with it and a `-`.
    package var name: String
    /// The maximum length of a name, in bytes. A frame has 255 bytes for the role, the name and the key's name of who acts.
    package static let maximumNameLength = 100
    package var role: KeyRole
    package var key: PublicKey
    /// The key that the peer had before; `nil` if it had none.
    package var old: OldKey?
    package var grants = Grants()
    /// The role of the key that an invitation's place is given to; `nil` for another key.
    package var invites: KeyRole?
    /// When it was added; `nil` if that is not known.
    package var added: Date?
    /// When it stops being valid; `nil` for never.
    package var expires: Date?
    package var comment: String?

    package init(name: String, role: KeyRole, key: PublicKey) {
        (self.name, self.role, self.key) = (name, role, key)
    }

    /// A key that was replaced by another one of the same peer, and is valid for a while besides it.
    package struct OldKey: Hashable, Sendable {
        package var key: PublicKey
        /// When it stops being valid.
        package var until: Date

        package init(_ key: PublicKey, until: Date) { (self.key, self.until) = (key, until) }
    }

    package func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// The key, and the one before.
    package var keys: [PublicKey] { [key] + (old.map { [$0.key] } ?? []) }

    /// When one of ``keys`` stops being valid; `nil` for never.
    func end(of key: PublicKey) -> Date? {
        guard let old, old.key == key else { return expires }
        return min(old.until, expires ?? old.until)
    }

    /// Whether a peer with this key may have a name.
    package func covers(_ peer: String) -> Bool {
        peer == name || peer.count > name.count + 1 && peer.hasPrefix(name) && peer.dropFirst(name.count).first == "-"
    }

    // MARK: - The text form

    /// The line in the list.
    package var line: String {
        var words = [name, role.rawValue, "\(key)"]
        if let invites { words.append("as=\(invites.rawValue)") }
        words += grants.texts
        if let old { words += ["old=\(old.key)", "until=\(Self.text(of: old.until))"] }
        if let added { words.append("added=\(Self.text(of: added))") }
        if let expires { words.append("expires=\(Self.text(of: expires))") }
        if let comment, !comment.isEmpty { words.append("# \(comment)") }
        return words.joined(separator: " ")
    }

    /// Why a line of a list is none.
    package struct Invalid: Error, Hashable {
        package let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    /// Reads a line of a list.
    package init(line: some StringProtocol) throws(Invalid) {
        let parts = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let words = parts[0].split(whereSeparator: \.isWhitespace)
        guard words.count >= 3 else { throw Invalid("a line has a name, a role and a key") }
        name = String(words[0])
        if let problem = BusName.problem(with: name) { throw Invalid("the name '\(name)' \(problem); \(BusName.rule)") }
        guard name.utf8.count <= Self.maximumNameLength else {
            throw Invalid(
                "the name '\(name)' has \(name.utf8.count) bytes, of at most \(Self.maximumNameLength)")
        }
        guard let role = KeyRole(rawValue: String(words[1])) else {
            let roles = KeyRole.allCases.map(\.rawValue).joined(separator: ", ")
            throw Invalid("'\(words[1])' is no role; there are \(roles)")
        }
        self.role = role
        key = try Self.key(words[2])
        var (old, until): (PublicKey?, Date?) = (nil, nil)
        for word in words.dropFirst(3) {
            if let text = Self.value(of: "added", in: word) {
                added = try Self.date(text)
            } else if let text = Self.value(of: "old", in: word) {
                old = try Self.key(text)
            } else if let text = Self.value(of: "until", in: word) {
                until = try Self.date(text)
            } else if let text = Self.value(of: "expires", in: word) {
                expires = try Self.date(text)
            } else if let text = Self.value(of: "as", in: word), role == .invitation {
                guard let role = KeyRole(rawValue: text), role != .invitation else {
                    throw Invalid("'\(text)' is no role to be invited to")
                }
                invites = role
            } else if let problem = grants.add(word) {
                throw Invalid(problem)
            }
        }
        switch (old, until) {
        case (let key?, let until?): self.old = OldKey(key, until: until)
        case (nil, nil): break
        default: throw Invalid("an old key has its end behind it: old=KEY until=2026-01-31T18:00:00Z")
        }
        guard old != key else { throw Invalid("the old key is the new one") }
        guard role != .invitation || invites != nil else {
            throw Invalid("an invitation says what for, such as as=worker")
        }
        guard grants[.session] == nil || (invites ?? role) != .worker else {
            throw Invalid("a worker gets the sessions of the configurations that it may run: write offer=NAME instead")
        }
        if parts.count > 1 {
            let text = parts[1].drop(while: \.isWhitespace)
            comment = text.isEmpty ? nil : String(text)
        }
    }

    private static func value(of field: String, in word: some StringProtocol) -> String? {
        word.hasPrefix(field + "=") ? String(word.dropFirst(field.count + 1)) : nil
    }

    private static func key(_ text: some StringProtocol) throws(Invalid) -> PublicKey {
        guard let key = PublicKey(text) else {
            throw Invalid("\(KeyList.quoted(text)) is no public key, which has 64 hexadecimal digits")
        }
        return key
    }

    private static func date(_ text: String) throws(Invalid) -> Date {
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw Invalid("'\(text)' is no time: write it as 2026-01-31T18:00:00Z")
        }
        return date
    }

    private static func text(of date: Date) -> String { date.formatted(.iso8601) }
}
