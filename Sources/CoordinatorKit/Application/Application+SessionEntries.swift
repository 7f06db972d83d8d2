public import Messaging

/// Entries that have a value for each session, which the application's own code sets.
extension Application {
    /// The open session in whose name the message was sent that is being handled; `nil` if there is none.
    public var sendingSession: SceneSession? { MessageContext.current?.session.flatMap { openSession($0) } }

    /// The container of a session: what all sessions share, and the entries of this one.
    public func appDependency(of session: SceneSession) -> AppDependency? {
        delegate.appDependency?.container(of: session.persistentIdentifier)
    }

    /// Sets an entry of a session, or removes it with `nil`. The coordinators of the session's scene get it, and those of
    /// no other one. It is removed when the session is closed.
    ///
    ///     func userLogin(name: String) async throws -> User {
    ///         let user = User(name: name)
    ///         if let application, let session = application.sendingSession {
    ///             try application.set(\.user, to: user, for: session)
    ///         }
    ///         return user
    ///     }
    ///
    /// Call it in the host, or in an application that runs its scenes itself.
    /// - Parameters:
    ///   - entry: The entry's key path. The entry is declared with `@Entry(.session)`.
    ///   - value: The new value; `nil` removes the entry.
    ///   - session: An open session.
    /// - Throws: ``EntryRefused`` if the entry is not one of sessions, if the session is not open, and in a scene worker.
    public func set<Value>(
        _ entry: WritableKeyPath<AppDependency, Value?>, to value: Value?, for session: SceneSession
    ) throws(EntryRefused) {
        let id = session.persistentIdentifier
        func refuse(_ reason: String) -> EntryRefused {
            EntryRefused(key: SessionEntryKey(AppDependency.key(of: entry) ?? "", of: id).text, reason: reason)
        }
        guard sessionRunner == nil || runsScenesElsewhere else {
            throw refuse("a worker does not publish entries; set it in a plugin, or in the host's delegate")
        }
        guard openSession(id) != nil else { throw refuse("the session '\(id)' is not open") }
        var container = delegate.appDependency ?? AppDependency()
        try container.set(entry, to: value, ofSession: id)
        delegate.appDependency = container
    }

    /// Removes the entries of a session that was closed, or has the host remove them.
    func removeEntries(of session: SceneSession) {
        let id = session.persistentIdentifier
        if let onSessionClosed { return onSessionClosed(id) }
        guard let container = delegate.appDependency, container.count(ofSession: id) > 0 else { return }
        delegate.appDependency?.removeEntries(ofSession: id)
    }
}
