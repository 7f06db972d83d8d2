import HashTreeCollections

/// The local entries: objects that stay in this process.
extension AppDependency {
    /// An object of this process.
    ///
    /// `Any` is not `Sendable`. Yet an object that is not is set and read on the main actor alone: the other methods
    /// require a type that is `Sendable`, and read no entry of the main actor.
    final class LocalEntry: @unchecked Sendable {
        let object: Any
        /// Whether it is used on the main actor alone.
        let isOnMainActor: Bool

        init(_ object: Any, isOnMainActor: Bool) {
            self.object = object
            self.isOnMainActor = isOnMainActor
        }
    }

    /// Reads a local entry. The accessors that `@Entry(.local)` generates call this method.
    public func localObject<Object: Sendable>(of key: String, as type: Object.Type) -> Object? {
        // Nothing at run time tells whether an object is `Sendable`, so that one of the main actor could be read as such.
        guard locals[key]?.isOnMainActor != true else {
            probe?.note(key)
            return nil
        }
        return object(of: key)
    }

    /// Sets or removes a local entry. The accessors that `@Entry(.local)` generates call this method.
    public mutating func setLocalObject<Object: Sendable>(_ object: Object?, of key: String) {
        locals[key] = object.map { LocalEntry($0, isOnMainActor: false) }
    }

    /// Reads a local entry whose type need not be `Sendable`. The accessors that `@MainActor @Entry(.local)` generates
    /// call this method.
    @MainActor
    public func localMainActorObject<Object>(of key: String, as type: Object.Type) -> Object? { object(of: key) }

    /// Sets or removes a local entry whose type need not be `Sendable`. The accessors that
    /// `@MainActor @Entry(.local)` generates call this method.
    @MainActor
    public mutating func setLocalMainActorObject<Object>(_ object: Object?, of key: String) {
        locals[key] = object.map { LocalEntry($0, isOnMainActor: true) }
    }

    private func object<Object>(of key: String) -> Object? {
        probe?.note(key)
        return locals[key]?.object as? Object
    }

    /// Returns this container with the local entries of another one of this process.
    package func withLocalEntries(of other: AppDependency) -> AppDependency {
        var container = self
        container.locals = other.locals
        return container
    }

    /// Returns whether two containers are the same: each of their entries was set by the same statement.
    package static func areSame(_ first: AppDependency?, _ second: AppDependency?) -> Bool {
        guard let first, let second else { return first == nil && second == nil }
        return first.changedKeys(since: second).isEmpty && first.locals.count == second.locals.count
            && first.locals.allSatisfy { second.locals[$0.key] === $0.value }
    }
}
