extension AppDependency {
    /// The host's own entry that lists the keys of the entries whose owners are not attached; not there while all are.
    package static let absentKey = "scenebus.absent"

    /// Whether the peer that set an entry is not attached to the host now: the entry is the last that it said, and may be out of date.
    ///
    ///     if appDependency?.isOwnerGone(of: \.cpu) == true { title += " (not live)" }
    ///
    /// The container changes when an owner goes or comes back, as with any entry. Of very many such entries only the first in the order
    /// of their keys are known: as many as have 6 KiB together. What stands of an earlier life of the host is not known either.
    /// - Parameter entry: the entry's key path, such as `\.account`.
    public func isOwnerGone<Value>(of entry: KeyPath<AppDependency, Value?>) -> Bool {
        Self.key(of: entry).map { isOwnerGone(of: $0) } ?? false
    }

    /// The same for an entry's key.
    public func isOwnerGone(of key: String) -> Bool {
        value(of: Self.absentKey, as: [String].self)?.contains(key) ?? false
    }
}
