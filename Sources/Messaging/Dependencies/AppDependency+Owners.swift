extension AppDependency {
    /// The key of the host's own entry that lists the keys of entries whose owners are not attached. The entry is
    /// missing while all owners are attached.
    package static let absentKey = "scenebus.absent"

    /// Returns whether the peer that set an entry is currently not attached to the host. The entry keeps the last value
    /// that the peer has set, which may be out of date.
    ///
    ///     if appDependency?.isOwnerGone(of: \.cpu) == true { title += " (not live)" }
    ///
    /// The container changes when an owner detaches or returns, as it does for any entry. The host lists at most 6 KiB
    /// of keys, owner by owner in the order of their names. It does not list the owners of entries that an earlier run
    /// of the host has stored.
    /// - Parameter entry: The entry's key path, such as `\.account`.
    public func isOwnerGone<Value>(of entry: KeyPath<AppDependency, Value?>) -> Bool {
        Self.key(of: entry).map { isOwnerGone(of: $0) } ?? false
    }

    /// Returns whether the peer that set the entry with this key is currently not attached to the host.
    public func isOwnerGone(of key: String) -> Bool {
        value(of: Self.absentKey, as: [String].self)?.contains(key) ?? false
    }
}
