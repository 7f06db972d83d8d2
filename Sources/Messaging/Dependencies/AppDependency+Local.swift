import HashTreeCollections

/// The local entries: objects that stay in this process.
extension AppDependency {
    /// An object of this process.
    final class LocalEntry: Sendable {
        let value: LocalValue

        init(_ value: LocalValue) { self.value = value }
    }

    enum LocalValue: Sendable {
        case sendable(any Sendable)
        /// An object that is used on the main actor alone, because it need not be `Sendable`.
        case mainActor(MainActorObject)
    }

    /// Owns an object of the main actor. A container may be released on any thread, and with it the last reference to the
    /// object, which is therefore released on the main actor.
    @MainActor
    final class MainActorObject {
        let object: Any

        init(_ object: Any) { self.object = object }

        isolated deinit {}
    }

    /// Reads a local entry. The accessors that `@Entry(.local)` generates call this method.
    public func localObject<Object: Sendable>(of key: String, as type: Object.Type) -> Object? {
        probe?.note(key)
        // Nothing at run time tells whether an object is `Sendable`, so that one of the main actor is not read as such.
        guard case .sendable(let object)? = locals[key]?.value else { return nil }
        return object as? Object
    }

    /// Sets or removes a local entry. The accessors that `@Entry(.local)` generates call this method.
    public mutating func setLocalObject<Object: Sendable>(_ object: Object?, of key: String) {
        locals[key] = object.map { LocalEntry(.sendable($0)) }
    }

    /// Reads a local entry whose type need not be `Sendable`. The accessors that `@MainActor @Entry(.local)` generates
    /// call this method.
    @MainActor
    public func localMainActorObject<Object>(of key: String, as type: Object.Type) -> Object? {
        probe?.note(key)
        return switch locals[key]?.value {
        case .sendable(let object): object as? Object
        case .mainActor(let owner): owner.object as? Object
        case nil: nil
        }
    }

    /// Sets or removes a local entry whose type need not be `Sendable`. The accessors that
    /// `@MainActor @Entry(.local)` generates call this method.
    @MainActor
    public mutating func setLocalMainActorObject<Object>(_ object: Object?, of key: String) {
        locals[key] = object.map { LocalEntry(.mainActor(MainActorObject($0))) }
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
