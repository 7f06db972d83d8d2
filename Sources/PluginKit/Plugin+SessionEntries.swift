import Bus
public import Messaging

/// The entries that have a value for each session.
extension Plugin {
    /// The container of a session: what all sessions share, and the entries of this one.
    /// - Parameter session: the session's identifier, for example that of ``MessageContext/session``.
    public func appDependency(of session: String) -> AppDependency { appDependency.container(of: session) }

    /// Sets an entry of a session, or removes it with `nil`. Only the coordinators of that session's scene get it. The host
    /// removes it when the session is closed, and refuses it for a session that is not open.
    ///
    /// While the plugin runs, it sets the entry again after a restart of the host. A plugin that is restarted begins without
    /// the entries of the process before.
    /// - Parameters:
    ///   - entry: the entry's key path, such as `\.account`. The entry is declared with `@Entry(.session)`.
    ///   - value: the new value; `nil` removes the entry.
    ///   - session: the session's identifier.
    /// - Throws: ``EntryRefused`` when the entry is not one of sessions, when the plugin does not list it in `provides`, or the
    ///   value cannot be encoded or is too large for the bus.
    public func set<Value>(
        _ entry: WritableKeyPath<AppDependency, Value?>, to value: Value?, for session: String
    ) throws {
        var container = appDependency
        try container.set(entry, to: value, ofSession: session)
        try set(container)
    }

    /// Sets an entry of the session in whose name the message was sent that is being handled, as ``set(_:to:for:)`` does.
    ///
    ///     func userLogin(name: String, password: Secret<String>) async throws -> User {
    ///         let user = try check(name, password)
    ///         try plugin?.setForSender(\.user, to: user)
    ///         return user
    ///     }
    ///
    /// - Throws: as ``set(_:to:for:)``; also ``EntryRefused`` when the message was sent in the name of no session, for example
    ///   by `scenebus request` without `--session`, or when no message is being handled.
    public func setForSender<Value>(_ entry: WritableKeyPath<AppDependency, Value?>, to value: Value?) throws {
        guard let session = MessageContext.current?.session else {
            throw EntryRefused(
                key: AppDependency.key(of: entry) ?? "",
                reason: "it has a value for each session, and the message was sent in the name of no session")
        }
        try set(entry, to: value, for: session)
    }

    // MARK: - What the host has

    /// Forgets an entry of a session that the host has removed, which it does when the session is closed: a later session
    /// of the same identifier must not get it.
    ///
    /// If the plugin has set it anew meanwhile, the host's next change has that value. It is then not set again after a
    /// restart of the host.
    func forgetRemoved(_ keys: [String], in newest: AppDependency) {
        for key in keys where SessionEntryKey(key) != nil && newest.entry(of: key) == nil {
            own.removeValue(forKey: key)
        }
    }

    /// Drops an entry of a session that the host has refused, so that the host's value is read from now on.
    /// - Returns: whether the plugin has removed the entry. The session is closed then, and has no entries anyway.
    func dropsRemoval(of key: String) -> Bool {
        guard SessionEntryKey(key) != nil, let dropped = own.removeValue(forKey: key) else { return false }
        merged.setEntry(hosts.entry(of: key), of: key)
        return dropped == nil
    }

    /// The own entries that an attached host may not have.
    ///
    /// A host that has only lost the link for a while has the entries of sessions, and another session may have the
    /// identifier of one that was closed meanwhile. So only those are set again that it has not shown yet.
    /// - Parameter isSameHost: whether the plugin was attached to this life of the host before.
    func keysToSetAgain(isSameHost: Bool) -> [String] {
        guard isSameHost else { return Set(provides).union(own.keys).sorted() }
        // To remove a name as such removes the entries of all sessions.
        let namesOfSessions = own.keys.compactMap { SessionEntryKey($0)?.name }
        let known = own.filter { key, entry in
            SessionEntryKey(key) != nil && (try? entry?.encoded()) == (try? hosts.entry(of: key)?.encoded())
        }
        return Set(provides).subtracting(namesOfSessions).union(own.keys).subtracting(known.keys).sorted()
    }
}
