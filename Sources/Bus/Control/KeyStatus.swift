/// A key that a host allows, as operators see it.
package struct KeyStatus: Codable, Hashable, Sendable {
    package var name: String
    package var role: String
    /// The public key, as 64 hexadecimal digits.
    package var key: String
    /// The role of the key that takes an invitation's place; `nil` for another key.
    package var invites: String?
    /// The key before, which is valid until ``oldUntil``.
    package var oldKey: String?
    /// In seconds since 1970.
    package var oldUntil: Double?
    package var grants: [String]
    /// When it was added, in seconds since 1970; `nil` if that is not known.
    package var added: Double?
    /// When it stops being valid, in seconds since 1970; `nil` for never.
    package var expires: Double?
    package var comment: String?

    package init(name: String, role: String, key: String, grants: [String] = []) {
        (self.name, self.role, self.key, self.grants) = (name, role, key, grants)
    }
}

/// A page of the keys that a host allows, in the order of their names.
package struct KeyPage: Codable, Hashable, Sendable, HostList {
    package var keys: [KeyStatus]
    /// What is wrong with the lines of the list that cannot be used.
    package var problems: [String]
    package var next: String?

    package init(keys: [KeyStatus], problems: [String], next: String?) {
        (self.keys, self.problems, self.next) = (keys, problems, next)
    }

    package var items: [KeyStatus] { keys }
}

/// What an administrator gets who has changed the list of keys.
package struct KeyChange: Codable, Hashable, Sendable {
    /// The name of the key that was added, changed or removed.
    package var name: String
    /// The host's public key, as 64 hexadecimal digits.
    package var hostKey: String
    /// When the key stops being valid, in seconds since 1970; `nil` for never, and for one that was removed.
    package var expires: Double?

    package init(name: String, hostKey: String, expires: Double? = nil) {
        (self.name, self.hostKey, self.expires) = (name, hostKey, expires)
    }
}
