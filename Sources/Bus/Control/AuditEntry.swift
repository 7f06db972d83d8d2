/// What a peer has done, or was refused.
package struct AuditEntry: Codable, Hashable, Sendable {
    /// It grows by one with each entry.
    package var number: Int64
    /// When it ended, in seconds since 1970.
    package var time: Double
    /// The name of the peer; empty for the host itself.
    package var peer: String
    /// The name of the peer's key; `nil` for a peer of the host's user on its machine.
    package var key: String?
    /// The user for whom the peer acted; `nil` for the peer itself.
    package var user: String?
    /// The role of the key, or of the peer if it has none.
    package var role: String
    /// The name of the message, or in words what was done without one.
    package var action: String
    /// What it was done to, such as a session.
    package var object: String
    /// "done", or why it failed or was refused.
    package var outcome: String

    package init(
        number: Int64 = 0, time: Double, peer: String, key: String?, user: String? = nil, role: String, action: String,
        object: String, outcome: String
    ) {
        self.number = number
        self.time = time
        self.peer = peer
        self.key = key
        self.user = user
        self.role = role
        self.action = action
        self.object = object
        self.outcome = outcome
    }

    /// The outcome of an action that was carried out.
    package static let done = "done"
}

/// A page of audit entries, the oldest first.
package struct AuditList: Codable, Hashable, Sendable, HostList {
    package var entries: [AuditEntry]
    package var next: String?

    package init(entries: [AuditEntry], next: String?) { (self.entries, self.next) = (entries, next) }

    package var items: [AuditEntry] { entries }
}
